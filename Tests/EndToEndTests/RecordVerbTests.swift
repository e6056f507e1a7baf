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
        // After the copy.
        let later = try await bed.evaluate(key: "b")
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        for command in try Self.documentedRestore(of: copy.path, to: bed.stateDirectory.path) {
            let words = ["-ec", command]
            #expect(try await ChildProcess.run(URL(fileURLWithPath: "/bin/sh"), words).status == 0, "\(command)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.stateDirectory.path) == ["speechgate.db"])
        try await bed.restart()
        #expect(try await bed.get("/v1/records/\(recordID)").body == answer.body)
        let replay = try await bed.evaluate(key: "a")
        #expect(replay["idempotency-replayed"] == "true" && replay.body == answer.body)
        // The platform knows what the copy does not.
        #expect(try await bed.evaluate(key: "b").body == later.body)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    /// The README's commands between the stop and the start, for other paths and for whoever runs the test.
    private static func documentedRestore(of copy: String, to state: String) throws -> [String] {
        let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
        let text = try String(contentsOf: readme, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## Backup, restore, upgrade\n").last)
        let block = section.components(separatedBy: "```")[1]
        let commands = block.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("mv ") || $0.hasPrefix("install ") }
        #expect(commands.count == 3)
        return commands.map {
            $0.replacingOccurrences(of: "/var/lib/speechgate", with: state)
                .replacingOccurrences(of: "-o speechgate -g speechgate ", with: "")
                .replacingOccurrences(of: "COPY", with: copy)
        }
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

    @Test func doctorFindsADamagedDatabaseWithAndWithoutADaemon() async throws {
        let bed = try await TestBed()
        for key in ["a", "b", "c"] { _ = try await bed.evaluate(key: key) }
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        // An index that is read neither at the start nor for a replay.
        let damage = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            page = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'records_by_time'").fetchone()[0]
            size = database.execute("PRAGMA page_size").fetchone()[0]
            database.close()
            with open(sys.argv[1], "r+b") as file:
                file.seek(page * size - 64)
                file.write(bytes(range(64)))
            """
        let file = bed.stateDirectory.appendingPathComponent("speechgate.db").path
        let python = URL(fileURLWithPath: "/usr/bin/env")
        #expect(try await ChildProcess.run(python, ["python3", "-c", damage, file]).status == 0)
        func judge() async throws {
            let report = try await bed.speechgate("doctor")
            let faults = report.output.split(separator: "\n").filter { $0.hasPrefix("FAULT") }
            #expect(report.status == 69 && faults.count == 1, "\(report.output)")
            #expect(faults.first?.contains(" store ") == true, "\(report.output)")
            #expect(faults.first?.contains("restore a backup") == true, "\(report.output)")
        }
        try await judge()
        try await bed.restart()
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true")
        try await judge()
        // What is damaged is not handed on as a backup.
        let copy = bed.folder.appendingPathComponent("copy.db")
        #expect(try await bed.speechgate("backup", copy.path).status != 0)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
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
