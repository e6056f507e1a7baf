import Foundation
import GatewayCore
import HTTPWire
import TestSupport
import Testing

@testable import ProviderYugu

@Suite struct YuguAnswerTests {
    private static func classify(_ status: Int, _ body: String) -> String {
        let response = HTTPTransportResponse(status: status, fields: HTTPFields(), body: Array(body.utf8))
        return switch YuguAnswer.classifyEvaluation(response) {
        case .answered(let facts): "answered \(facts.recordID ?? "-") \(facts.overall.map { "\($0)" } ?? "-")"
        case .coded(let code): "\(code.kind) \(code.value)"
        case .codeless: "codeless"
        case .malformed: "malformed"
        }
    }

    @Test(arguments: [
        (200, #"{"recordId":"eval_1","eof":1,"result":{"overall":93.7}}"#, "answered eval_1 93.7"),
        (200, #"{"recordId":"conn_1","result":{"connected_overall":80}}"#, "answered conn_1 80.0"),
        (200, #"{"recordId":"eval_1"}"#, "answered eval_1 -"),
        (200, #"{"result":{"overall":1}}"#, "answered - 1.0"),
        (200, #"{"code":0,"recordId":"eval_1","result":{}}"#, "answered eval_1 -"),
        (200, #"{"code":40001,"message":"no"}"#, "final 40001"),
        (200, #"{"code":40001,"recordId":"eval_1","result":{}}"#, "answered eval_1 -"),
        (200, #"{"errId":"50000"}"#, "retryable 50000"),
        (200, #"{"eof":1}"#, "malformed"),
        (200, #"{"recordId":"","result":{"bytes":16000},"eof":0}"#, "malformed"),
        (200, #"{"recordId":"eval_1","result":{"overall":9"#, "malformed"),
        (200, #"{"recordId":"eval_1"} trailing"#, "malformed"),
        (200, "[]", "malformed"),
        (200, "<html></html>", "malformed"),
        (200, "", "malformed"),
        (400, #"{"code":40001}"#, "final 40001"),
        (400, #"{"code":1311}"#, "retryable 1311"),
        (401, #"{"code":2003,"message":"signature"}"#, "credentialsOrClock 2003"),
        (401, #"{"code":2002}"#, "credentialsOrClock 2002"),
        (401, #"{"code":2010}"#, "credentials 2010"),
        (401, #"{"code":40100}"#, "credentials 40100"),
        (401, #"{"code":2099}"#, "credentials 2099"),
        (409, #"{"code":40901}"#, "inProgress 40901"),
        (409, #"{"code":40903}"#, "final 40903"),
        (429, #"{"code":42903}"#, "final 42903"),
        (429, #"{"code":42900}"#, "retryable 42900"),
        (429, #"{"code":77777}"#, "retryable 77777"),
        (418, #"{"code":77777}"#, "final 77777"),
        (500, #"{"code":50010}"#, "final 50010"),
        (500, #"{"detail":"[2001] token expired"}"#, "credentials 2001"),
        (500, #"{"detail":{"code":50200,"message":"engine"}}"#, "retryable 50200"),
        (500, #"{"detail":"engine is busy"}"#, "codeless"),
        (500, #"{"detail":[{"msg":"bad"}]}"#, "codeless"),
        (400, #"{"detail":{"message":"no number"}}"#, "codeless"),
        (500, #"{"detail":"[1234567] seven digits"}"#, "codeless"),
        (500, #"{"detail":"[] none"}"#, "codeless"),
        (500, #"{"detail":"text [2001]"}"#, "codeless"),
        (400, #"{"code":"1004"}"#, "final 1004"),
        (400, #"{"code":0,"errId":1005}"#, "final 1005"),
        (400, #"{"code":1001}"#, "final 1001"),
        (503, #"{"code":1002}"#, "retryable 1002"),
        (500, #"{"code":2003}"#, "credentialsOrClock 2003"),
        (200, #"{"recordId":"eval_1","result":{"warning":[{"code":1004}]},"warnings":[1005]}"#, "answered eval_1 -"),
        (502, "<html>Bad Gateway</html>", "codeless"),
        (500, "", "codeless"),
    ])
    func meaning(status: Int, body: String, meaning: String) {
        #expect(Self.classify(status, body) == meaning)
    }

    @Test(arguments: [
        (#"{"recordId":"e","result":{"duration":"1.921","numeric_duration":1.921}}"#, Int64(1921)),
        (#"{"recordId":"e","result":{"duration_s":14.22}}"#, 14_220),
        (#"{"recordId":"e","result":{"numeric_duration":-1}}"#, nil),
        (#"{"recordId":"e","result":{}}"#, nil),
    ])
    func theRecordingsLengthIsReadWhereItIsWanted(body: String, milliseconds: Int64?) {
        let response = HTTPTransportResponse(status: 200, fields: HTTPFields(), body: Array(body.utf8))
        func read(measuring: Bool) -> Int64? {
            guard case .answered(let facts) = YuguAnswer.classifyEvaluation(response, measuringAudio: measuring) else {
                return -1
            }
            return facts.audioMilliseconds
        }
        #expect(read(measuring: true) == milliseconds)
        #expect(read(measuring: false) == nil)
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: recorded answers are skipped"))
    func everyRecordedAnswerIsAResult() throws {
        let folder = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/platform")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("native_") || $0.hasPrefix("compat_") }
        #expect(names.count >= 13)
        for name in names {
            let body = try Data(contentsOf: folder.appendingPathComponent(name))
            let response = HTTPTransportResponse(status: 200, fields: HTTPFields(), body: Array(body))
            guard case .answered(let facts) = YuguAnswer.classifyEvaluation(response) else {
                Issue.record("\(name) is no answer")
                continue
            }
            // The independent reading: Foundation's decoder.
            let json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
            let result = try #require(json["result"] as? [String: Any])
            let overall = (result["overall"] ?? result["connected_overall"]) as? NSNumber
            #expect(facts.recordID == json["recordId"] as? String, "\(name)")
            #expect(facts.overall == overall?.doubleValue, "\(name)")
        }
    }
}
