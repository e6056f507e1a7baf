import Foundation
import TestSupport
import Testing

/// Made speech by way of the gateway.
@Suite struct SpeechAudioTests {
    private static let body = #"{"text":"你好世界","speed":0}"#
    private static let gateway = "https://gate.example"

    private static func settings(_ form: String, _ more: String = "") -> TestBed.Settings {
        TestBed.Settings(
            yugu: ["audio": #"{ gatewayURL: "\#(Self.gateway)"\#(more) }"#],
            simulator: ["--processing-ms", "0", "--audio-url", form]
        )
    }

    private static func address(_ response: TestResponse) throws -> String {
        let data = try #require(JSONText.object(response.body)?["data"] as? [String: Any], "\(response.text)")
        return try #require(data["audioUrl"] as? String)
    }

    private static func path(_ response: TestResponse) throws -> String {
        let address = try Self.address(response)
        #expect(address.hasPrefix("\(Self.gateway)/v1/audio/"), "\(address)")
        return String(address.dropFirst(Self.gateway.utf8.count))
    }

    @Test(arguments: ["absolute", "path"])
    func anAppReachesTheAudioThroughTheGateway(form: String) async throws {
        let bed = try await TestBed(Self.settings(form))
        let first = try await bed.speak(Self.body, key: "k", user: "mei")
        let path = try Self.path(first)
        #expect(try await bed.speak(Self.body, key: "k", user: "mei").body == first.body, "a replay is the same bytes")
        let audio = try await bed.get(path, fields: [("SpeechGate-User", "mei"), ("Range", "bytes=0-")])
        #expect(audio.status == 206 && audio["content-type"] == "audio/wav", "\(audio.status)")
        #expect(audio.body.starts(with: Array("RIFF".utf8)) && audio.body.count > 30_000)
        #expect(audio["content-length"] == String(audio.body.count) && audio["x-content-type-options"] == "nosniff")
        #expect(audio["cache-control"] == "private")
        // Neither the platform's host nor the file's name can be read off the address.
        #expect(!first.text.contains("127.0.0.1") && !first.text.contains(".mp3"))
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    /// Players ask for pieces; what the platform's file server says of them reaches the app as it is.
    @Test func aPlayerGetsThePiecesThatItAsksFor() async throws {
        let bed = try await TestBed(Self.settings("absolute"))
        let path = try Self.path(await bed.speak(Self.body, key: "k"))
        let whole = try await bed.get(path)
        let count = whole.body.count
        let eTag = try #require(whole["etag"])
        #expect(whole.status == 200 && whole["accept-ranges"] == "bytes")
        func piece(_ range: String, if condition: String? = nil) async throws -> TestResponse {
            try await bed.get(path, fields: [("Range", range)] + (condition.map { [("If-Range", $0)] } ?? []))
        }
        for (range, expected) in [
            ("bytes=0-99", 0..<100), ("bytes=100-", 100..<count), ("bytes=-50", count - 50..<count),
            ("bytes=40-\(count * 2)", 40..<count),
        ] {
            let response = try await piece(range)
            #expect(response.status == 206 && response.body == Array(whole.body[expected]), "\(range)")
            #expect(response["content-range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/\(count)")
            #expect(response["content-length"] == "\(expected.count)" && response["content-type"] == "audio/wav")
        }
        let beyond = try await piece("bytes=\(count)-")
        #expect(beyond.status == 416 && beyond["content-range"] == "bytes */\(count)" && beyond.body.isEmpty)
        #expect(try await piece("bytes=0-9", if: eTag).status == 206)
        let changed = try await piece("bytes=0-9", if: "\"another\"")
        #expect(changed.status == 200 && changed.body == whole.body)
        // What is no range is as if it were not there.
        for range in ["bytes=9-1", "bytes=a-b", "lines=1-2", "bytes="] {
            #expect(try await piece(range).status == 200, "\(range)")
        }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aStreamCountsAsACallUntilItsEnd() async throws {
        var settings = Self.settings("absolute")
        settings.gateway["limits"] = "{ client: { concurrency: 1 } }"
        let bed = try await TestBed(settings)
        let path = try Self.path(await bed.speak(Self.body, key: "k"))
        try await bed.faults("trickle:200")
        async let slow = bed.get(path)
        try await until("the platform streams") { try await bed.platformLog().count == 2 }
        let second = try await bed.get(path)
        #expect(second.status == 429 && second.json("reason") == "client_concurrency", "\(second.text)")
        #expect(try await slow.status == 200)
        #expect(try await bed.get(path).status == 200)
        await bed.stop()
    }

    @Test func nobodyElseReachesIt() async throws {
        let bed = try await TestBed(Self.settings("absolute"))
        let path = try Self.path(await bed.speak(Self.body, key: "k", user: "mei"))
        let added = try await bed.speechgate("client", "add", "stranger")
        let stranger = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        func get(_ path: String, _ fields: [(String, String)]) async throws -> TestResponse {
            try await TestHTTPClient.exchange(port: bed.port, "GET", path, fields: fields)
        }
        let own = [("Authorization", "Bearer \(bed.apiKey)")]
        #expect(try await get(path, own).status == 200)
        #expect(try await get(path, []).status == 401)
        for (path, fields) in [
            (path, [("Authorization", "Bearer \(stranger)")]), (path, own + [("SpeechGate-User", "li")]),
            (path + "A", own), ("/v1/audio/AAAA", own), ("/v1/audio/" + String(repeating: "A", count: 4_000), own),
        ] {
            let response = try await get(path, fields)
            #expect(response.status == 404 && response.json("code") == "40400", "\(path.prefix(40)): \(response.text)")
        }
        await bed.stop()
    }

    @Test func audioThatHasGoneOrBreaksOffIsSaidToBe() async throws {
        let bed = try await TestBed(Self.settings("absolute"))
        let path = try Self.path(await bed.speak(Self.body, key: "k"))
        func serve(_ status: Int, _ body: String, type: String) async throws {
            let response = try await TestHTTPClient.exchange(
                port: bed.simulatorPort,
                "POST",
                "/__sim/serve?match=/tts/&status=\(status)",
                fields: [("Content-Type", type)],
                body: Array(body.utf8)
            )
            #expect(response.status == 200, "\(response.text)")
        }
        // A page of another server is not shown under our name.
        try await serve(200, "<html>", type: "text/html")
        let page = try await bed.get(path)
        #expect(page.text == "<html>" && page["content-type"] == "application/octet-stream")
        for (status, expected) in [(404, 404), (410, 404), (302, 502), (403, 502), (500, 502)] {
            try await serve(status, "{}", type: "application/json")
            #expect(try await bed.get(path).status == expected, "\(status)")
        }
        try await bed.faults("length:+40")
        #expect(try await bed.get(path).status == 0, "the connection broke before what was promised")
        #expect(try await bed.get(path).status == 200)
        bed.simulator.signal(SIGKILL)
        await bed.simulator.wait()
        let response = try await bed.get(path)
        #expect(response.status == 502 && response.json("code") == "50200", "\(response.text)")
        await bed.stop()
    }

    @Test func audioAboveTheLimitIsRefused() async throws {
        let bed = try await TestBed(Self.settings("absolute", #", maximumBytes: "64KiB""#))
        let long = #"{"text":"\#(String(repeating: "好", count: 200))"}"#
        let response = try await bed.get(try Self.path(await bed.speak(long, key: "k")))
        #expect(response.status == 502, "\(response.status)")
        await bed.stop()
    }

    @Test func withoutTheSettingNothingIsRewritten() async throws {
        let bed = try await TestBed()
        let address = try Self.address(await bed.speak(Self.body, key: "k"))
        #expect(address.hasPrefix("http://127.0.0.1:\(bed.simulatorPort)/"))
        #expect(try await bed.get("/v1/audio/AAAA").status == 404)
        await bed.stop()
    }
}
