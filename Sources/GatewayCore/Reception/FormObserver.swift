internal import HTTPWire

/// Looks at the parts of a form while they arrive; most forms are received without one.
///
/// Confined to the connection's loop, as the reception is that asks it.
protocol FormObserver: AnyObject {
    /// A part begins; those before it are complete.
    ///
    /// - Throws: What the request is refused with.
    func began(_ head: MultipartPartHead, after parts: [ReceivedForm.Part]) throws(GatewayError)

    /// The next bytes of the part, lent for the time of the call.
    ///
    /// - Throws: What the request is refused with.
    func received(_ bytes: UnsafeRawBufferPointer) throws(GatewayError)

    /// The part is complete; what was found out is added to it.
    func ended(_ part: inout ReceivedForm.Part)
}

extension FormObserver {
    func received(_ bytes: UnsafeRawBufferPointer) throws(GatewayError) {}

    func ended(_ part: inout ReceivedForm.Part) {}
}
