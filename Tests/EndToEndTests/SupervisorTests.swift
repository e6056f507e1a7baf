import Foundation
import TestSupport
import Testing

/// The daemon under a service manager: the notifications of sd_notify(3), and sockets that come with the process.
@Suite struct SupervisorTests {
    private static func bed(_ socket: NotifySocket, _ environment: String...) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ client: { concurrency: 50 } }"
        settings.environment = ["NOTIFY_SOCKET=\(socket.address)"] + environment
        return try await TestBed(settings)
    }

    /// A bed whose daemon has ended and may listen anywhere.
    private static func stoppedBed() async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["echo"] = "false"
        let bed = try await TestBed(settings)
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        return bed
    }

    private static func monotonicMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    @Test(arguments: [false, true])
    func aLifeIsTold(isAbstract: Bool) async throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let bed = try await Self.bed(socket)
        let ready = try #require(await socket.next())
        #expect(ready["READY"] == "1" && ready["STATUS"] == "serving")
        // It listens before it says so.
        #expect(try await bed.get("/v1/records").status == 200)

        let before = Self.monotonicMicroseconds()
        #expect(try await bed.speechgate("reload").status == 0)
        let reloading = try #require(await socket.next())
        let time = try #require(reloading["MONOTONIC_USEC"].flatMap(UInt64.init))
        #expect(reloading["RELOADING"] == "1" && before <= time && time <= Self.monotonicMicroseconds())
        #expect(await socket.next()?["READY"] == "1")

        try bed.edit("concurrency: 50", "concurrency: 0")
        bed.gateway.signal(SIGHUP)
        #expect(await socket.next()?["RELOADING"] == "1")
        let refused = try #require(await socket.next())
        #expect(refused["READY"] == "1" && refused["STATUS"]?.contains("refused") == true)

        bed.gateway.signal(SIGTERM)
        let stopping = try #require(await socket.next())
        #expect(stopping["STOPPING"] == "1" && stopping["STATUS"]?.hasPrefix("draining") == true)
        await bed.stop()
        // Nobody asked for signs of life.
        #expect(await socket.next(within: 0) == nil)
    }

    @Test func signsOfLifeComeInTimeAndEndWithTheProcessStopped() async throws {
        let socket = try NotifySocket()
        let bed = try await Self.bed(socket, "WATCHDOG_USEC=2000000")
        let start = ContinuousClock.now
        for _ in 0..<5 { #expect(await socket.next(with: "WATCHDOG") != nil) }
        // One a second: at the two seconds that they may take at most, four more than the first would take eight.
        #expect(ContinuousClock.now - start < .seconds(8))
        bed.gateway.signal(SIGSTOP)
        // What was sent before the stop is read; then there is silence.
        while await socket.next(within: 0) != nil {}
        #expect(await socket.next(with: "WATCHDOG", within: 2) == nil)
        bed.gateway.signal(SIGCONT)
        #expect(await socket.next(with: "WATCHDOG") != nil)
        await bed.stop()
    }

    @Test func aManagerThatDoesNotListenIsNoTrouble() async throws {
        let gone = try NotifySocket().address
        var settings = TestBed.Settings()
        settings.environment = ["NOTIFY_SOCKET=\(gone)"]
        let bed = try await TestBed(settings)
        #expect(try await bed.evaluate(key: "a").status == 200)
        await bed.stop()
    }

    /// systemd's own tool opens the socket and starts the daemon at the first connection, which waits for it.
    @Test func theFirstConnectionOfAnActivatedSocketIsServed() async throws {
        let bed = try await Self.stoppedBed()
        let port = try ReservedPort()
        try bed.edit(#"listen: ["127.0.0.1:0"]"#, #"listen: ["fd:gateway"]"#)
        let activated = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/systemd-socket-activate"),
            [
                "--listen=127.0.0.1:\(port.number)", "--fdname=gateway", ChildProcess.program("speechgate").path,
                "serve", "--config", bed.config.path,
            ],
            log: bed.folder.appendingPathComponent("activated.log")
        )
        var answer: TestResponse?
        for _ in 0..<200 where answer == nil {
            // Until the tool listens.
            answer = try? await TestHTTPClient.exchange(
                port: port.number,
                "GET",
                "/v1/records",
                fields: [("Authorization", "Bearer \(bed.apiKey)")]
            )
            if answer == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(answer?.status == 200)
        let line = await activated.readLine() ?? ""
        #expect(JSONText.member("gateway", of: Array(line.utf8)) == "http://127.0.0.1:\(port.number)")
        activated.signal(SIGTERM)
        #expect(await activated.wait() == 0)
        await bed.stop()
    }

    /// What systemd does on `systemctl restart` with a socket unit, done by a script that holds the socket.
    @Test func noConnectionIsRefusedWhileTheDaemonIsReplaced() async throws {
        let bed = try await Self.stoppedBed()
        try bed.edit(#"listen: ["127.0.0.1:0"]"#, #"listen: ["fd:gateway"]"#)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Restarts/restarts.py").path
        let run = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script, ChildProcess.program("speechgate").path, bed.config.path, bed.apiKey, "5"]
        )
        let told = try #require(JSONText.object(Array(run.output.utf8)), "\(run.output)")
        #expect(told["failures"] as? [String] == [], "\(run.output)")
        #expect(told["statuses"] as? [Int] == [0, 0, 0, 0, 0, 0])
        #expect(try #require(told["answered"] as? Int) > 100)
        await bed.stop()
    }

    @Test func aSocketThatDidNotComeIsMissedByName() async throws {
        let bed = try await Self.stoppedBed()
        try bed.edit(#"listen: ["127.0.0.1:0"]"#, #"listen: ["fd:gateway"]"#)
        let serve = try await bed.speechgate("serve")
        #expect(serve.status == 69)
        let log = try String(contentsOf: bed.folder.appendingPathComponent("verbs.log"), encoding: .utf8)
        #expect(log.contains("no socket named \"gateway\" came with the process"), "\(log)")
        await bed.stop()
    }
}

/// The unit files as systemd reads them.
@Suite struct UnitFileTests {
    private static let units: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/systemd")
    private static let analyze = URL(fileURLWithPath: "/usr/bin/systemd-analyze")

    @Test func systemdHasNothingToSay() async throws {
        // Verified where the programs that they name exist.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "speechgate-units-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var files: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.units.path).sorted() {
            let text = try String(contentsOf: Self.units.appendingPathComponent(name), encoding: .utf8)
            let file = folder.appendingPathComponent(name)
            let program = ChildProcess.program("speechgate").path
            try text.replacingOccurrences(of: "/usr/bin/speechgate", with: program)
                .write(to: file, atomically: true, encoding: .utf8)
            if !name.hasSuffix(".conf") { files.append(file.path) }
        }
        #expect(files.count >= 4)
        let verified = try await ChildProcess.run(Self.analyze, ["verify", "--man=no"] + files)
        // Its status proves nothing; what it prints does.
        #expect(verified.output == "")
    }

    @Test func theServiceIsRatedAsHardened() async throws {
        let rated = try await ChildProcess.run(
            Self.analyze,
            ["security", "--offline=true", Self.units.appendingPathComponent("speechgate.service").path]
        )
        let line = rated.output.split(separator: "\n").last { $0.contains("Overall exposure level") }
        let score = line?.split(separator: ":").last?.split(separator: " ").first.flatMap { Double($0) }
        #expect(try #require(score) <= 1.5, "\(rated.output)")
    }
}
