internal import Cryptography
internal import HTTPWire

/// What the WebSockets of one loop share.
///
/// Their connections have a multi handle of their own: libcurl counts them among the pooled ones, so that they would push
/// those of exchanges out of the pool.
struct WebSocketLoop: Sendable {
    let multi: CurlMulti
    let encoder: WebSocketEncoder
    let share: WebSocketLoopShare

    init(_ multi: CurlMulti, budget: WebSocketBudget) {
        let keys = MaskingKeys()
        self.multi = multi
        self.encoder = .client { keys.next() }
        self.share = WebSocketLoopShare(budget: budget)
    }
}

/// Makes masking keys that nobody can foresee, many at a time.
///
/// `@unchecked Sendable`: confined to one loop.
private final class MaskingKeys: @unchecked Sendable {
    private static let batch = 256

    private var bytes: [UInt8] = []

    func next() -> UInt32 {
        if self.bytes.isEmpty { self.bytes = SecureRandom.bytes(count: 4 * MaskingKeys.batch) }
        let key = self.bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        self.bytes.removeLast(4)
        return key
    }
}
