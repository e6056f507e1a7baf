import Foundation
import TestSupport
import Testing

/// The operator's verb `stream` through a running gateway to the simulator.
@Suite struct StreamTests {
    /// Runs the verb on a recording made of arithmetic.
    private func stream(_ bed: TestBed, _ options: String...) async throws -> (status: Int32, output: String) {
        let recording = bed.folder.appendingPathComponent("recording.wav")
        let credential = bed.folder.appendingPathComponent("key")
        try Data(TestAudio.wav(seconds: 2)).write(to: recording)
        try Data(bed.apiKey.utf8).write(to: credential)
        let words = ["stream", recording.path, "--text", "The early bird catches the worm"]
        let place = ["--gateway", "http://127.0.0.1:\(bed.port)", "--credential-file", credential.path]
        return try await bed.speechgate(words + place + options)
    }

    @Test func aBreakInTheMiddleIsNotNoticedAndBilledOnce() async throws {
        let bed = try await TestBed()
        try await bed.faults("ws-kill-after:40")
        let run = try await self.stream(bed, "--speed", "4", "--key", "lesson-1")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("   overall "))
        #expect(run.output.contains("key lesson-1"))
        #expect(run.output.contains("read 6 of 6"), "\(run.output)")
        #expect(try await bed.billed() == 1)
        // Again it is the same result, and nothing is paid.
        let again = try await self.stream(bed, "--speed", "max", "--key", "lesson-1")
        #expect(again.status == 0 && again.output.contains("replayed, not billed again"), "\(again.output)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func whatThePlatformRefusesIsSaid() async throws {
        let bed = try await TestBed()
        try await bed.faults("ws-error:40001")
        #expect(try await self.stream(bed, "--speed", "max").status == 65)
        #expect(try await self.stream(bed, "--speed", "max", "--core-type", "nonsense").status == 65)
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }
}
