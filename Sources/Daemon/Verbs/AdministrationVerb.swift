internal import GatewayCore
internal import Store

/// `client …`, `token …` and `claims …`: through the daemon while one runs, else on the store itself.
struct AdministrationVerb: Sendable {
    /// How often a daemon that holds the store but does not listen (yet, or any more) is tried again.
    static let tries = 20
    /// How long to wait in between.
    static let pause: Duration = .milliseconds(100)

    let command: AdministrationCommand

    func run(_ context: VerbContext) async throws(VerbFailure) {
        let file = try context.loadConfiguration()
        for _ in 1..<Self.tries {
            do throws(VerbFailure) {
                return try await self.run(file, context)
            } catch {
                // Another process has the store, but nobody listens: a daemon that starts or ends just now.
                guard error.exitCode == .temporaryFailure, error.isWorthRepeating else { throw error }
                try? await Task.sleep(for: Self.pause)
            }
        }
        try await self.run(file, context)
    }

    private func run(_ file: ConfigurationFile, _ context: VerbContext) async throws(VerbFailure) {
        let client = ControlClient(path: file.configuration.controlSocketPath)
        do throws(ControlClient.Failure) {
            var next: AdministrationCommand? = self.command
            while let command = next {
                next = self.show(try client.perform(command), console: context.console)
            }
        } catch {
            switch error {
            case .noDaemon:
                try await self.runAlone(file, context)
            case .forbidden:
                throw VerbFailure(.noPermission, "\(client.path) belongs to another user; use the daemon's account")
            case .broken(let reason):
                throw VerbFailure(.unavailable, "\(reason) (\(client.path))")
            case .refused(let failure):
                throw failure
            }
        }
    }

    private func show(
        _ reply: AdministrationReply,
        console: Console
    ) -> AdministrationCommand? {
        console.output(reply.output)
        return reply.next
    }

    private func runAlone(_ file: ConfigurationFile, _ context: VerbContext) async throws(VerbFailure) {
        var masters: MasterKeys?
        if self.command.needsMaster {
            let secrets = try context.resolveSecrets(file)
            masters = MasterKeys(current: secrets.master, previous: secrets.previousMaster)
        }
        let store: Store
        do throws(StoreError) {
            store = try Store.open(file.configuration.storeConfiguration(readers: 1))
        } catch {
            throw VerbFailure(error)
        }
        let administration = Administration(store: store, masters: masters, running: nil)
        let result: Result<Void, VerbFailure>
        do throws(VerbFailure) {
            var next: AdministrationCommand? = self.command
            while let command = next {
                next = self.show(try await administration.perform(command), console: context.console)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await store.close()
        try result.get()
    }
}
