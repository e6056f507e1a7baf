import Foundation
import TestSupport
import Testing

/// The operator's verbs on records and usage, through the control socket of a running gateway.
@Suite struct RecordVerbTests {
    private func lines(_ run: (status: Int32, output: String)) throws -> [[String: Any]] {
        #expect(run.status == 0, "\(run.output)")
        return try run.output.split(separator: "\n").map { try #require(JSONText.object(Array($0.utf8))) }
    }

    @Test func recordsAreListedShownExportedAndErased() async throws {
        let bed = try await TestBed()
        let first = try await bed.evaluate(key: "a", user: "anna")
        let recordID = try #require(first.json("recordId"))
        _ = try await bed.evaluate(key: "b", user: "anna")
        _ = try await bed.evaluate(key: "c", user: "ben")
        let client = ["--client", "school"]
        let all = try self.lines(try await bed.speechgate("records", "list", client[0], client[1]))
        #expect(all.map { $0["key"] as? String } == ["c", "b", "a"])
        #expect(all[2]["recordId"] as? String == recordID && all[2]["userId"] as? String == "anna")
        let shown = try await bed.speechgate("records", "show", recordID, client[0], client[1])
        #expect(Array(shown.output.utf8) == first.body)
        let table = try await bed.speechgate(
            "records",
            "export",
            client[0],
            client[1],
            "--user",
            "ben",
            "--format",
            "csv"
        )
        #expect(table.output.hasPrefix("recordId,userId,") && table.output.split(separator: "\r\n").count == 2)
        let one = try self.lines(try await bed.speechgate("records", "delete", client[0], client[1], "--id", recordID))
        #expect(one[0]["state"] as? String == "erased" && one[0]["records"] as? Int == 1)
        #expect(try await bed.speechgate("records", "show", recordID, client[0], client[1]).status == 65)
        let user = try self.lines(try await bed.speechgate("records", "delete", client[0], client[1], "--user", "anna"))
        #expect(user[0]["records"] as? Int == 1)
        #expect(try await bed.evaluate(key: "b", user: "anna").status == 410)
        #expect(try self.lines(try await bed.speechgate("records", "list", client[0], client[1])).count == 1)
        let usage = try self.lines(try await bed.speechgate("usage", "--group-by", "user"))
        #expect(usage.map { $0["user"] as? String } == [nil, "anna", "ben"])
        #expect(usage.map { $0["billed"] as? Int } == [2, 0, 1], "\(usage)")
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }

    @Test func aBackupIsMadeWhileTheGatewayServes() async throws {
        let bed = try await TestBed()
        let answer = try await bed.evaluate(key: "a")
        let recordID = try #require(answer.json("recordId"))
        let copy = bed.folder.appendingPathComponent("copy.db")
        let made = try self.lines(try await bed.speechgate("backup", copy.path))
        #expect(made[0]["check"] as? String == "ok")
        let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await bed.speechgate("backup", copy.path).status == 73)
        // Put back in place of a lost store, it answers as before, and bills nothing again.
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        let state = bed.stateDirectory
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path)
        where name.hasPrefix("speechgate.db") {
            try FileManager.default.removeItem(at: state.appendingPathComponent(name))
        }
        try FileManager.default.copyItem(at: copy, to: state.appendingPathComponent("speechgate.db"))
        try await bed.restart()
        #expect(try await bed.get("/v1/records/\(recordID)").body == answer.body)
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func doctorFindsWhatIsWrong() async throws {
        let bed = try await TestBed()
        let well = try await bed.speechgate("doctor")
        #expect(well.status == 0, "\(well.output)")
        for subject in ["configuration", "permissions", "disk", "sqlite", "store", "dns", "clock"] {
            #expect(well.output.contains(" \(subject) "), "\(well.output)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bed.stateDirectory.path)
        try await bed.faults("clock:-600")
        let ill = try await bed.speechgate("doctor")
        #expect(ill.status == 69)
        let faults = ill.output.split(separator: "\n").filter { $0.hasPrefix("FAULT") }
        #expect(faults.count == 2 && faults[0].contains("permissions"), "\(ill.output)")
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }

    @Test(arguments: ["--https", "--https-expired"]) func doctorJudgesThePlatformsCertificate(
        option: String
    ) async throws {
        var settings = TestBed.Settings()
        settings.simulator.append(option)
        let bed = try await TestBed(settings)
        func tls() async throws -> [Substring] {
            let report = try await bed.speechgate("doctor")
            let lines = report.output.split(separator: "\n").filter { $0.contains(" tls ") }
            #expect(lines.count == 1 && (report.status == 0) == lines[0].hasPrefix("ok"), "\(report.output)")
            return lines
        }
        // Signed by an authority that nobody has told it of.
        try bed.edit("http://127.0.0.1:\(bed.simulatorPort)", try #require(bed.securePlatform).url)
        let unknown = try await tls()
        #expect(unknown[0].hasPrefix("FAULT") && unknown[0].contains("certificate"), "\(unknown)")
        let authority = try #require(bed.securePlatform).authorityFile
        try bed.edit("baseURL:", "certificateAuthorityFile: \"\(authority)\", baseURL:")
        let known = try await tls()
        if option == "--https" {
            #expect(known[0].hasPrefix("ok") && known[0].contains("in order"), "\(known)")
        } else {
            #expect(known[0].hasPrefix("FAULT") && known[0].contains("expired"), "\(known)")
        }
        await bed.stop()
    }
}
