import Foundation
import Testing

@testable import PlatformSimulator

/// Progress frames of both dialects (contract yugu, section 10.3).
@Suite struct ReadingProgressTests {
    struct Unit: Decodable, Hashable {
        var word: String
        var read: Bool
        var matched: Bool
    }
    struct Word: Decodable {
        var word: String
    }
    struct Frame: Decodable {
        struct Result: Decodable {
            var bytes: Int
            var progress: [Unit]?
            var words: [Word]?
        }
        var recordId: String?
        var eof: Int?
        var result: Result?

        var readUnits: Int { self.result?.progress?.count { $0.read } ?? -1 }
        var matchedUnits: Int { self.result?.progress?.count { $0.matched } ?? -1 }
    }

    static func frames(
        _ dialect: PlatformSession.Dialect,
        _ parameters: String,
        audio: [UInt8] = PlatformSessionTests.speech,
        fault: String? = nil
    ) throws -> [Frame] {
        let session = TestedSession(dialect, fault: fault)
        session.startRound(parameters, audio)
        _ = session.evaluated(#"{"eof":1}"#)
        #expect(session.sent.last == #"{"eof":1}"#, "none come after the result")
        return try session.sent.map { try JSONDecoder().decode(Frame.self, from: Data($0.utf8)) }
            .filter { $0.eof == 0 }
    }

    static let chinese =
        #"{"cmd":"start","coreType":"sentence","referenceText":"今天，天气很好！","language":"zh-CN","realtimeFeedback":true}"#
    static let english = #"{"refText":"Don't stop, me now.","realtime_feedback":true}"#

    @Test func chineseIsFollowedByCharacter() throws {
        let frames = try Self.frames(.native, Self.chinese)
        for frame in frames {
            #expect(frame.recordId == nil && frame.result?.words == nil)
            #expect(frame.result?.progress?.map(\.word) == ["今", "天", "天", "气", "很", "好"])
        }
        #expect(try #require(frames.last).readUnits == 6)
    }

    @Test func englishIsFollowedByToken() throws {
        let frames = try Self.frames(.compat(.sentence), Self.english)
        for frame in frames {
            #expect(frame.recordId?.isEmpty == true)
            #expect(frame.result?.progress?.map(\.word) == ["Don't", "stop", "me", "now"])
        }
        #expect(try #require(frames.last).readUnits == 4)
    }

    @Test func unitsOnlyGoFromFalseToTrueAndMatchedImpliesRead() throws {
        for frames in [
            try Self.frames(.native, Self.chinese), try Self.frames(.compat(.sentence), Self.english),
        ] {
            #expect(Set(frames.map(\.readUnits)).count > 2, "it moves")
            for (before, after) in zip(frames, frames.dropFirst()) {
                for (old, new) in zip(before.result?.progress ?? [], after.result?.progress ?? []) {
                    #expect((!old.read || new.read) && (!old.matched || new.matched))
                }
            }
            #expect(frames.flatMap { $0.result?.progress ?? [] }.allSatisfy { !$0.matched || $0.read })
            #expect(try #require(frames.last).matchedUnits > 0)
        }
    }

    @Test func aFrameComesOnChangeAndEveryHalfSecond() throws {
        let frames = try Self.frames(.native, Self.chinese)
        var last = try #require(frames.first?.result?.bytes)
        #expect(last == 16_000)
        for (before, after) in zip(frames, frames.dropFirst()) {
            let bytes = try #require(after.result?.bytes)
            let hasChanged = before.result?.progress != after.result?.progress
            #expect(hasChanged || bytes - last >= 16_000)
            #expect(bytes - last <= 16_000 + 640)
            last = bytes
        }
        // It trails the speech by at least a second.
        #expect(frames.filter { ($0.result?.bytes ?? 0) <= 32_000 }.allSatisfy { $0.readUnits == 0 })
        #expect(frames.map { $0.result?.bytes ?? 0 } == frames.map { $0.result?.bytes ?? 0 }.sorted())
    }

    @Test func compatWordsCoverWhatIsNewlyRead() throws {
        let frames = try Self.frames(.compat(.sentence), Self.english)
        var position = 0
        for frame in frames {
            let words = frame.result?.words ?? []
            #expect(frame.readUnits - words.count == position)
            #expect(words.map(\.word) == frame.result?.progress?[position..<frame.readUnits].map(\.word))
            position = frame.readUnits
        }
        #expect(position == 4)
    }

    @Test func withoutTheSwitchThereIsNone() throws {
        #expect(try Self.frames(.native, PlatformSessionTests.start).isEmpty)
        #expect(try Self.frames(.compat(.sentence), #"{"refText":"me"}"#).isEmpty)
    }

    /// Without a text to follow, in another format, and when the tracker is unavailable.
    @Test func framesThenCarryBytesOnly() throws {
        let pinyin = #"{"refPinyin":"chong2 qing4","realtime_feedback":true}"#
        let format = [UInt8](TestRecording.speech[..<24]) + [0x40, 0x1F, 0, 0] + TestRecording.speech[28...]
        for frames in [
            try Self.frames(.compat(.sentenceChinese), pinyin),
            try Self.frames(.native, Self.chinese, audio: format),
            try Self.frames(.native, Self.chinese, fault: "ws-progress:bytes"),
        ] {
            #expect(frames.count > 3 && frames.allSatisfy { $0.result?.progress == nil })
            #expect(frames.map { ($0.result?.bytes ?? 0) / 16_000 } == Array(1...frames.count))
        }
    }

    @Test func itGoesBackAndStaysAwayOnDemand() throws {
        let frames = try Self.frames(.native, Self.chinese, fault: "ws-progress:back")
        #expect(zip(frames, frames.dropFirst()).contains { $0.readUnits > $1.readUnits })
        #expect(try Self.frames(.native, Self.chinese, fault: "ws-progress:none").isEmpty)
    }

    @Test func silenceIsNotRead() throws {
        let silence = [UInt8](repeating: 0, count: 96_000)
        let frames = try Self.frames(.native, Self.chinese, audio: silence)
        #expect(!frames.isEmpty && frames.allSatisfy { $0.readUnits == 0 })
    }
}
