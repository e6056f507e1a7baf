import GatewayCore
import Testing

@testable import Daemon

@Suite struct SettingTextTests {
    @Test(arguments: [
        ("0ms", Duration.zero), ("300ms", .milliseconds(300)), ("30s", .seconds(30)), ("5m", .seconds(300)),
        ("2h", .seconds(7_200)), ("7d", .seconds(604_800)), ("007s", .seconds(7)),
    ])
    func durationsAreWholeNumbersWithAUnit(text: String, expected: Duration) {
        #expect(Duration(configurationText: text) == expected)
    }

    @Test(arguments: [
        "", "30", "s", "1.5s", "-1s", "+1s", "1 s", " 1s", "1s ", "1S", "1sec", "1h30m", "1w", "1us", "٣s",
        "99999999999999999999s", "9223372036854775807d",
    ])
    func otherTextsAreNoDurations(text: String) {
        #expect(Duration(configurationText: text) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1_500), "1500ms"), (.seconds(60), "1m"),
        (.seconds(90), "90s"), (.seconds(3_600), "1h"), (.seconds(604_800), "7d"),
    ])
    func durationsAreWrittenInTheirLargestWholeUnit(duration: Duration, text: String) {
        #expect(duration.configurationText == text)
    }

    @Test(arguments: [
        ("0B", 0), ("1B", 1), ("64KiB", 65_536), ("8MiB", 8_388_608), ("4GiB", 4_294_967_296),
    ])
    func sizesAreWholeNumbersWithAUnit(text: String, bytes: Int) {
        #expect(ByteCount(text)?.bytes == bytes)
        #expect(ByteCount(text)?.description == text)
    }

    @Test(arguments: [
        "", "64", "KiB", "64KB", "64kib", "64K", "64M", "1.5MiB", "-1B", "1 KiB", "1TiB", "99999999999GiB",
        "9223372036854775808B",
    ])
    func otherTextsAreNoSizes(text: String) {
        #expect(ByteCount(text) == nil)
    }

    @Test(arguments: [
        ("lisen", "listen"), ("listn", "listen"), ("ilsten", "listen"), ("LISTEN", "listen"), ("listens", "listen"),
        ("stateDir", "stateDirectory"), ("maxListen", "listen"), ("ehco", "echo"), ("lops", "loops"),
    ])
    func aSlipFindsTheWordThatWasMeant(word: String, expected: String) {
        #expect(Spelling.nearest(to: word, among: ["listen", "stateDirectory", "echo", "loops"]) == expected)
    }

    @Test(arguments: ["", "x", "zzzzzz", "li", "statistics", "xyecho1"])
    func aWordUnlikeAllOthersFindsNone(word: String) {
        #expect(Spelling.nearest(to: word, among: ["listen", "stateDirectory", "echo", "loops"]) == nil)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("ca", "abc", 3),
        ("same", "same", 0),
    ])
    func theDistanceCountsEditsAndSwaps(left: String, right: String, expected: Int) {
        #expect(Spelling.distance(left, right) == expected)
        #expect(Spelling.distance(right, left) == expected)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.8.9.1:1", true), ("[::1]:1", true), ("localhost:1", true), ("LOCALHOST:1", true),
        ("unix:/x", true), ("0.0.0.0:1", false), ("[::]:1", false), ("10.0.0.1:1", false),
        ("127.0.0.1.nip.io:1", false),
        ("128.0.0.1:1", false), ("example.com:1", false), ("[::ffff:127.0.0.1]:1", false), ("fd:3", false),
    ])
    func onlyLoopbackAddressesStayOnThisMachine(address: String, isLocal: Bool) {
        #expect(ListenText.fault(address) == nil)
        #expect(ListenText.isLocal(address) == isLocal)
    }

    @Test func pathsCountFromTheFileThatNamesThem() {
        #expect(PathText.resolve("a/b", besideFile: "/etc/speechgate/x.json5") == "/etc/speechgate/a/b")
        #expect(PathText.resolve("a", besideFile: "conf/x.json5") == "conf/a")
        #expect(PathText.resolve("a", besideFile: "x.json5") == "a")
        #expect(PathText.resolve("/a", besideFile: "/etc/x.json5") == "/a")
    }

    @Test(arguments: [
        ("20/s", TokenBucket.Rate(20, per: .seconds(1), burst: 20)),
        ("600/m", TokenBucket.Rate(600, per: .seconds(60), burst: 600)),
        ("100/10s", TokenBucket.Rate(100, per: .seconds(10), burst: 100)),
        ("1/250ms burst 8", TokenBucket.Rate(1, per: .milliseconds(250), burst: 8)),
        ("1000000/d", TokenBucket.Rate(1_000_000, per: .seconds(86_400), burst: 1_000_000)),
    ])
    func ratesSayHowManyInWhichTime(text: String, rate: TokenBucket.Rate) {
        #expect(RateText.rate(text) == rate)
    }

    @Test(arguments: [
        "", "20", "/s", "20/", "0/s", "1000001/s", "-1/s", "1/2d", "1/0s", "20/s burst", "20/s burst 0", "20 /s",
        "1/s/s",
        "1/fortnight", "20/s  burst 3", "20/s burst 3 ",
    ])
    func whatIsNoRateIsRefused(text: String) {
        #expect(RateText.rate(text) == nil)
    }
}
