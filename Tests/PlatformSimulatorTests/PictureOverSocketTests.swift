import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The `image` part of a native evaluation over real sockets (contract yugu, section 4.1).
@Suite struct PictureOverSocketTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    private static let config = #"{"coreType":"open","referenceText":"看图说话","language":"zh-CN","taskType":"picture"}"#

    private static func evaluate(
        _ platform: SimulatedPlatform,
        config: String = Self.config,
        image: [UInt8]?,
        type: String? = "image/png",
        key: String? = nil
    ) async throws -> RawReply {
        var form = TestForm.evaluation(config: config, audio: TestRecording.speech)
        if let image { form = form.adding("image", image, filename: "image.png", contentType: type) }
        let body = form.bytes
        var lines: [String] = [
            "POST /api/v1/evaluate HTTP/1.1", "Host: platform", "Content-Length: \(body.count)",
            "\(form.contentType.0): \(form.contentType.1)",
        ]
        lines += SigningFields(platform.account).lines(over: "config=" + config)
        if let key { lines.append("Idempotency-Key: \(key)") }
        return try await exchange(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body, with: platform)
    }

    private static func isUngrounded(_ reply: RawReply) throws -> Bool? {
        let result = try #require(try reply.json()["result"] as? [String: Any])
        #expect(result["taskType"] as? String == "picture")
        return (result["openTaskAudit"] as? [String: Any])?["pictureUngrounded"] as? Bool
    }

    @Test func picturesAreTakenAndTellAnswersApart() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let png = try await Self.evaluate(platform, image: Self.png)
            #expect(png.status == 200)
            #expect(png.recordID?.hasPrefix("open_") == true)
            #expect(try Self.isUngrounded(png) == false)
            let jpeg = try await Self.evaluate(platform, image: Self.jpeg, type: "image/jpeg")
            #expect(jpeg.status == 200)
            let without = try await Self.evaluate(platform, image: nil)
            #expect(without.status == 200)
            #expect(try Self.isUngrounded(without) == true)
        }
    }

    @Test func whatIsNoPictureIsRefusedWhereOneCounts() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let broken: [(image: [UInt8], type: String?)] = [
                (Self.png, "image/jpeg"), (Self.jpeg, "image/png"), (Self.png, "image/gif"), (Self.png, nil),
                ([], "image/png"), ([0x89, 0x50], "image/png"),
            ]
            for (image, type) in broken {
                try await Self.evaluate(platform, image: image, type: type).expect(code: 40_001, "\(type ?? "none")")
            }
            // Elsewhere nobody looks at it.
            let config = #"{"coreType":"word","referenceText":"apple"}"#
            try await Self.evaluate(platform, config: config, image: [1], type: "a/b").expect(status: 200)
        }
    }

    @Test func anotherPictureIsAnotherRequest() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await Self.evaluate(platform, image: Self.png, key: "k").expect(status: 200)
            try await Self.evaluate(platform, image: Self.png, key: "k").expect(status: 200)
            try await Self.evaluate(platform, image: Self.png + [0], key: "k").expect(code: 40_903)
            try await Self.evaluate(platform, image: nil, key: "k").expect(code: 40_903)
            #expect(platform.billedByKey == ["k": 1])
        }
    }
}
