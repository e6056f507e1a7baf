internal import HTTPWire

/// Gives a signed form to its client as soon as its texts prove whose it is.
///
/// All texts usually come before the first file: what is proven then need not share the room of unknown senders until its
/// end. Whether the whole form is what was signed is asked there.
final class SignedFormProof: FormObserver {
    private let request: SignedRequest
    private let buffer: BodyBuffer
    private var isTried = false

    init(_ request: SignedRequest, of buffer: BodyBuffer) {
        self.request = request
        self.buffer = buffer
    }

    func began(_ head: MultipartPartHead, after parts: [ReceivedForm.Part]) throws(GatewayError) {
        guard !self.isTried, head.filename != nil, head.name != "config" else { return }
        self.isTried = true
        guard self.request.matches(SignedText.candidates(of: parts)) else { return }
        try self.buffer.give(to: BodyOwner(self.request.principal))
    }
}
