import Foundation
import SpeechAudio

/// Recordings that the tests make up: bursts of a tone stand for syllables.
enum TestRecording {
    /// 2.4 s with six bursts, at an ordinary level.
    static let speech = Self.bursts(6, amplitude: 8_000)
    /// The same with another pitch: other bytes, same facts.
    static let otherSpeech = Self.bursts(6, amplitude: 8_000, frequency: 180)
    /// 2 s of digital silence.
    static let silence = WAVEncoder.file(samples: [Int16](repeating: 0, count: 32_000))
    /// At about -50 dB.
    static let quiet = Self.bursts(6, amplitude: 170)
    /// Far beyond full scale, and cut off there.
    static let clipped = Self.bursts(6, amplitude: 90_000)

    /// Bursts of 250 ms with pauses of 150 ms.
    static func bursts(_ count: Int, amplitude: Double, frequency: Double = 220) -> [UInt8] {
        var samples: [Int16] = []
        for _ in 0..<count {
            samples += (0..<4_000).map { index in
                let value = amplitude * sin(2 * .pi * frequency * Double(index) / 16_000)
                return Int16(max(-32_768, min(32_767, value)))
            }
            samples += [Int16](repeating: 0, count: 2_400)
        }
        return WAVEncoder.file(samples: samples)
    }
}
