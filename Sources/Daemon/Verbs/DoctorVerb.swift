internal import Store

/// `doctor`: looks at everything that the gateway depends on and does not make itself.
struct DoctorVerb: Sendable {
    /// What one check came to.
    struct Finding: Sendable {
        enum Verdict: String, Sendable {
            case ok
            case warning
            case fault = "FAULT"
        }

        let subject: String
        let verdict: Verdict
        let text: String

        init(_ subject: String, _ verdict: Verdict, _ text: String) {
            self.subject = subject
            self.verdict = verdict
            self.text = text
        }
    }

    func run(_ context: VerbContext) async throws(VerbFailure) {
        let file = try context.loadConfiguration()
        let secrets = try context.resolveSecrets(file)
        let configuration = file.configuration
        var findings = [Finding("configuration", .ok, "\(file.path) is in order")]
        findings += secrets.warnings.map { Finding("secrets", .warning, $0) }
        findings += StateDirectoryCheck(
            path: configuration.stateDirectory,
            minimumFree: UInt64(configuration.limits.minimumFreeDisk.bytes)
        ).findings()
        findings.append(Self.sqlite(Store.sqliteVersion))
        findings.append(await self.store(configuration, context))
        findings += await PlatformCheck(configuration: configuration).findings()
        for finding in findings {
            let verdict = finding.verdict.rawValue
            let subject = finding.subject
            context.console.print(
                verdict + String(repeating: " ", count: max(1, 9 - verdict.count)) + subject
                    + String(repeating: " ", count: max(1, 15 - subject.count)) + finding.text
            )
        }
        let faults = findings.filter { $0.verdict == .fault }
        guard faults.isEmpty else {
            throw VerbFailure(.unavailable, "\(faults.count) of \(findings.count) checks found a fault")
        }
    }

    /// Versions 3.7.0 to 3.51.2 can damage the log when a checkpoint meets a write of another connection.
    static func sqlite(_ version: String) -> Finding {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 3 else { return Finding("sqlite", .warning, "version \(version) is not understood") }
        let isAffected = ![3, 7, 0].isAfter(numbers) && [3, 51, 3].isAfter(numbers)
        let note = "has the WAL-reset fault of 3.7.0 to 3.51.2, which needs a second writer: let no other program write"
        return Finding("sqlite", .ok, isAffected ? "\(version); it \(note)" : version)
    }

    private func store(_ configuration: Configuration, _ context: VerbContext) async -> Finding {
        guard StateDirectoryCheck.exists(configuration.stateDirectory + "/speechgate.db") else {
            return Finding("store", .ok, "there is none yet")
        }
        do throws(VerbFailure) {
            try await AdministrationVerb(command: .checkIntegrity).run(context)
            return Finding("store", .ok, "SQLite's integrity check finds nothing wrong")
        } catch {
            return Finding("store", .fault, error.lines.joined(separator: " "))
        }
    }
}

extension [Int] {
    /// Whether a version is later than another.
    fileprivate func isAfter(_ other: [Int]) -> Bool {
        other.lexicographicallyPrecedes(self)
    }
}
