internal import HTTPServer

/// The listeners for clients and for operations, which follow a configuration that changes.
struct LiveListeners: Sendable {
    let gateway: HTTPServer
    let operations: HTTPServer
    /// What came with the process.
    let sockets: InheritedSockets

    /// Listens where a configuration says: on all of its addresses, and then no longer on others.
    ///
    /// Connections that are open stay so, whatever they came over.
    ///
    /// - Throws: ``VerbFailure`` when an address cannot be listened on; everything is as it was then.
    func follow(_ configuration: Configuration) async throws(VerbFailure) {
        let addresses = try self.sockets.addresses(configuration.listen)
        let operationsAddresses = try self.sockets.addresses([configuration.operations.listen])
        do throws(HTTPServerError) {
            let change = try await self.gateway.begin(listeningOn: addresses)
            let operationsChange: ListenerChange
            do throws(HTTPServerError) {
                operationsChange = try await self.operations.begin(listeningOn: operationsAddresses)
            } catch {
                await self.gateway.abandon(change)
                throw error
            }
            await self.gateway.finish(change)
            await self.operations.finish(operationsChange)
        } catch {
            throw VerbFailure(error)
        }
    }

    /// Takes over the limits of connections.
    func adoptLimits(of configuration: Configuration) {
        self.gateway.change(limits: configuration.gatewayServer)
    }
}
