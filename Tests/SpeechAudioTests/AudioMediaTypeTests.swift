import Testing

@testable import SpeechAudio

@Suite struct AudioMediaTypeTests {
    @Test(
        arguments: [
            ("RIFF\u{24}\u{0}\u{0}\u{0}WAVEfmt ", nil, "audio/wav"),
            ("RIFF\u{24}\u{0}\u{0}\u{0}AVI fmt ", nil, "application/octet-stream"),
            ("ID3\u{3}", "x.wav", "audio/mpeg"),
            ("OggS", nil, "audio/ogg"),
            ("fLaC", nil, "audio/flac"),
            ("\u{0}\u{0}\u{0}\u{18}ftypM4A ", nil, "audio/mp4"),
            ("????", "speech.M4A", "audio/mp4"),
            ("????", "speech.amr", "audio/amr"),
            ("????", "speech.opus", "audio/ogg"),
            ("????", "speech.xyz", "application/octet-stream"),
            ("", nil, "application/octet-stream"),
        ] as [(String, String?, String)]
    )
    func typeByContentThenByName(content: String, fileName: String?, type: String) {
        #expect(AudioMediaType.sniff(Array(content.utf8), fileName: fileName) == type)
    }

    @Test func anMPEGSyncIsElevenSetBits() {
        #expect(AudioMediaType.sniff([0xFF, 0xFB, 0x90, 0x00], fileName: nil) == "audio/mpeg")
        #expect(AudioMediaType.sniff([0xFF, 0xE3], fileName: nil) == "audio/mpeg")
        #expect(AudioMediaType.sniff([0xFF, 0xD8], fileName: nil) == "application/octet-stream")
    }
}
