import Testing

@testable import ProviderYugu

@Suite struct ReportContentTests {
    private static func content(_ report: String, time: Int = 1) -> ReportContent {
        let text = #"{"code":0,"message":"success","data":{"recordId":"r","report":\#(report)},"timestamp":\#(time)}"#
        return ReportContent(Array(text.utf8))
    }

    @Test(arguments: [
        (#"{"summary":"good","suggestions":["more"],"dimensionScores":{}}"#, true),
        (#"{"summary":"good","suggestions":[]}"#, true),
        (#"{"summary":"good"}"#, false),
        (#"{"summary":"good","suggestions":null}"#, false),
        (#"{"summary":"","suggestions":[]}"#, false),
        (#"{"summary":null,"suggestions":[]}"#, false),
        (#"{"dimensionScores":{"accuracy":1},"rubricVersion":"v"}"#, false),
        ("{}", false), ("null", false), ("[]", false),
    ])
    func completeness(report: String, isComplete: Bool) {
        #expect(Self.content(report).isComplete == isComplete)
    }

    @Test func theTimeOfTheEnvelopeIsNoNews() {
        let one = Self.content(#"{"summary":null}"#)
        #expect(one.saysTheSame(as: Self.content(#"{"summary":null}"#, time: 2)))
        #expect(!one.saysTheSame(as: Self.content(#"{"summary":"a"}"#)))
    }
}
