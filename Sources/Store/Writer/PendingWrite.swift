/// A write that waits for its turn.
protocol PendingWrite: AnyObject, Sendable {
    /// Roughly how many bytes it adds to the log.
    var weight: Int { get }

    /// Does the write and keeps its result.
    ///
    /// A refusal (a conflict for instance) is a result too: nothing was written then.
    ///
    /// - Throws: When SQLite failed; something may have been written.
    func perform(on connection: WriterConnection) throws(StoreError)

    /// Replaces the result.
    func fail(_ error: StoreError)

    /// Hands the result to whoever waits.
    func deliver()
}

/// A write with the continuation of its caller.
///
/// `@unchecked`: `result` is touched on the writer's queue only.
final class WriteRequest<Value: Sendable>: PendingWrite, @unchecked Sendable {
    typealias Body = @Sendable (WriterConnection) throws(StoreError) -> Value

    let weight: Int
    private let body: Body
    private let continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    private var result: Result<Value, StoreError>?

    init(weight: Int, body: @escaping Body, continuation: CheckedContinuation<Result<Value, StoreError>, Never>) {
        self.weight = weight
        self.body = body
        self.continuation = continuation
    }

    func perform(on connection: WriterConnection) throws(StoreError) {
        do throws(StoreError) {
            self.result = .success(try self.body(connection))
        } catch {
            guard error.sqliteCode == nil else {
                throw error
            }
            self.result = .failure(error)
        }
    }

    func fail(_ error: StoreError) {
        self.result = .failure(error)
    }

    func deliver() {
        let missing = StoreError(code: .unavailable, message: "the write was not performed")
        self.continuation.resume(returning: self.result ?? .failure(missing))
    }
}
