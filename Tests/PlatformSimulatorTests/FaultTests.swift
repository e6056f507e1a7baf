import Testing

@testable import PlatformSimulator

@Suite struct FaultTests {
    static let understood: [(String, Fault)] = [
        ("drop", .drop), ("hang", .hang), ("bill-drop", .billDrop), ("garbage", .garbage),
        ("delay:300", .delay(.milliseconds(300))), ("slow:0", .slow(.zero)), ("trickle:5", .trickle(.milliseconds(5))),
        ("length:12", .length(12)), ("length:+12", .length(12)), ("length:-3", .length(-3)),
        ("clock:3600", .clock(3_600)), ("clock:+5", .clock(5)), ("clock:-3600", .clock(-3_600)),
        ("rotate-secret:a%3Ab", .rotateSecret("a:b")), ("rotate-secret:a:b", .rotateSecret("a:b")),
        (
            "status:429:code=42901:retryAfter=3:message=slow%20down",
            .answer(.init(status: 429, code: 42_901, retryAfter: "3", message: "slow down"))
        ),
        (
            "status:500:detail=%5B2001%5D%20x",
            .answer(.init(status: 500, code: 50_000, message: "[2001] x", form: .engine(.string)))
        ),
        ("status:502:raw=html", .answer(.init(status: 502, code: 50_200, form: .html))),
        ("html:504:retryAfter=3", .answer(.init(status: 504, code: 50_000, retryAfter: "3", form: .html))),
        (
            "code:40901",
            .answer(.init(status: 409, code: 40_901, retryAfter: "2", message: "同一幂等键的请求仍在处理中"))
        ),
        ("code:UNAUTHORIZED", .answer(.init(status: 401, code: 40_100, message: "未认证"))),
        (
            "code:50200:status=503:retryAfter=9:message=busy",
            .answer(.init(status: 503, code: 50_200, retryAfter: "9", message: "busy"))
        ),
        ("engine:422:array", .answer(.init(status: 422, code: 40_001, form: .engine(.array)))),
        (
            "engine:401:bracket:code=2001:message=a%3Ab",
            .answer(.init(status: 401, code: 2001, message: "a:b", form: .engine(.bracket)))
        ),
        ("audio-url:path", .audioURL(.path)), ("audio-url:absolute", .audioURL(.absolute)),
        ("audio-url:http%3A//x/y.mp3", .audioURL(.fixed("http://x/y.mp3"))),
        (
            "status:503:retryAfter=Wed%2C%2021%20Oct%202026%2007%3A28%3A00%20GMT",
            .answer(.init(status: 503, code: 50_000, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT"))
        ),
    ]

    @Test(arguments: Self.understood) func textsAreUnderstood(text: String, fault: Fault) {
        #expect(Fault(text) == fault)
    }

    @Test(arguments: [
        "", "nothing", "drop:1", "delay", "delay:", "delay:x", "delay:-1", "length", "length:0", "length:x", "clock:x",
        "rotate-secret", "rotate-secret:", "status", "status:99", "status:600", "status:500:oops", "status:500:a=b",
        "status:500:code=x", "status:500:raw=xml", "status:500:message=%4", "status:500:message=%FF", "code", "code:",
        "code:1", "code:40001:detail=x", "code:40001:status=99", "engine:500",
        "engine:500:text", "engine:99:array", "html:", "html:500:code=1", "audio-url:", "audio-url",
        "serve:/etc/passwd",
    ])
    func textsThatMeanNothingAreRefused(text: String) {
        #expect(Fault(text) == nil)
    }

    /// The mapping of contract yugu, section 15.
    @Test(arguments: [
        (502, 50_200), (500, 50_000), (503, 50_000), (429, 42_900), (409, 40_900), (401, 40_100), (403, 40_300),
        (404, 40_400), (400, 40_001), (422, 40_001),
    ])
    func codesFollowFromStatuses(status: Int, code: Int) {
        #expect(Fault("status:\(status)") == .answer(.init(status: status, code: code)))
    }

    @Test func whatIsServedIsBounded() {
        var queue = FaultQueue()
        let half = [UInt8](repeating: 0, count: FaultQueue.servedCapacity / 2)
        let item = FaultQueue.Item(file: half, status: 200, contentType: "a/b", match: nil, times: 1)
        #expect(queue.append([item, item]) == true)
        #expect(
            queue.append([FaultQueue.Item(file: [1], status: 200, contentType: "a/b", match: nil, times: 1)]) == false
        )
        #expect(queue.take(for: "/")?.text == "serve:200:33554432 bytes")
        #expect(queue.append([item]) == true)
    }

    @Test func theFirstFaultForThePathIsUsedUp() throws {
        func item(_ match: String?, _ text: String, times: Int = 1) throws -> FaultQueue.Item {
            FaultQueue.Item(match: match, text: text, fault: try #require(Fault(text)), times: times)
        }
        var queue = FaultQueue()
        let items = [
            try item("/a", "drop"), try item(nil, "hang", times: 2), try item("/a", "garbage"),
        ]
        #expect(queue.append(items) == true)
        #expect(queue.take(for: "/b")?.fault == .hang)
        #expect(queue.take(for: "/abc")?.fault == .drop)
        #expect(queue.take(for: "/a")?.fault == .hang)
        #expect(queue.take(for: "/b") == nil)
        #expect(queue.take(for: "/a")?.fault == .garbage)
        #expect(queue.count == 0)
    }

    @Test func theQueueIsBounded() throws {
        var queue = FaultQueue()
        let item = FaultQueue.Item(match: nil, text: "drop", fault: .drop, times: 1)
        #expect(queue.append(Array(repeating: item, count: FaultQueue.capacity)) == true)
        #expect(queue.append([item]) == false)
        #expect(queue.count == FaultQueue.capacity)
    }
}
