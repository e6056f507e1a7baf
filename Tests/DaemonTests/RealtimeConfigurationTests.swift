import GatewayCore
import HTTPWire
import Testing

@testable import Daemon

@Suite struct RealtimeConfigurationTests {
    @Test(arguments: [
        (
            "audioBytes: '0B'",
            #"audioBytes: "0B" is out of range; "32KiB" to "64MiB" is possible"#
        ),
        (
            "audioBytes: '31KiB'",
            #"audioBytes: "31KiB" is out of range; "32KiB" to "64MiB" is possible"#
        ),
        ("roundTimeout: '0s'", #"roundTimeout: "0s" is out of range; "100ms" to "2h" is possible"#),
        ("audioTimeout: '0s'", #"audioTimeout: "0s" is out of range; "100ms" to "1h" is possible"#),
        ("origins: 1", "origins: a list of texts is wanted, not a number"),
        (
            "origins: ['https://a.com', 'b.com']",
            #"origins: "https://HOST" or "https://HOST:PORT" is wanted, in lower case as browsers send it, not "b.com""#
        ),
        (
            "origins: ['https://a.com/']",
            #"origins: "https://HOST" or "https://HOST:PORT" is wanted, in lower case as browsers send it, "#
                + #"not "https://a.com/""#
        ),
        (
            "origins: ['https://A.com']",
            #"origins: "https://HOST" or "https://HOST:PORT" is wanted, in lower case as browsers send it, "#
                + #"not "https://A.com""#
        ),
        (
            "endingTimeout: '10s'",
            "resultTimeout: one connection may take longer than \"endingTimeout\" for all of them"
        ),
    ])
    func eachFaultIsNamedWithItsPath(settings: String, complaint: String) {
        let complaints = ConfigurationTests.complaints("", yugu: "realtime: {\(settings)}")
        #expect(complaints == ["yugu.realtime." + complaint])
    }

    @Test func settingsReachTheSessions() throws {
        let settings = """
            realtime: {roundTimeout: '5m', audioTimeout: '20s', idleTimeout: '30s', audioBytes: '32KiB',
              origins: ['https://app.example.com', 'http://localhost:8080']}
            """
        let sessions = try ConfigurationTests.read("", yugu: settings).yugu.realtime.sessions
        #expect(sessions.roundTimeout == .seconds(300) && sessions.audioTimeout == .seconds(20))
        #expect(sessions.idleTimeout == .seconds(30) && sessions.round.audioLimit == 32_768)
        #expect(sessions.origins == .only(["https://app.example.com", "http://localhost:8080"]))
        let defaults = try ConfigurationTests.read("").yugu.realtime.sessions
        #expect(defaults == RealtimeConfiguration())
        #expect(try ConfigurationTests.read("", yugu: "realtime: {origins: null}").yugu.realtime.origins == nil)
    }
}
