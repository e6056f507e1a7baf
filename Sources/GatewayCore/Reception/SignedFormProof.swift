internal import HTTPWire
internal import Store

/// Counts a signed form among those of which nobody knows who sends them, until its texts prove it.
///
/// All texts usually come before the first file: what is proven then need not wait for its end. Whether the whole form is
/// what was signed is asked at the end.
final class SignedFormProof: FormObserver {
    private let request: SignedRequest
    /// Its share of what such requests may take together; grows as bytes arrive, and is held until it is proven.
    private var unproven: MemoryReservation?
    private var isTried = false

    init(_ request: SignedRequest, unproven: MemoryReservation?) {
        self.request = request
        self.unproven = unproven
    }

    func began(_ head: MultipartPartHead, after parts: [ReceivedForm.Part]) {
        guard self.unproven != nil, !self.isTried, head.filename != nil, head.name != "config" else { return }
        self.isTried = true
        if self.request.matches(SignedText.candidates(of: parts)) { self.unproven = nil }
    }

    func received(_ bytes: UnsafeRawBufferPointer) throws(GatewayError) {
        if let unproven = self.unproven, !unproven.grow(by: bytes.count) { throw .unprovenFull }
    }

    func ended(_ part: inout ReceivedForm.Part) {}
}
