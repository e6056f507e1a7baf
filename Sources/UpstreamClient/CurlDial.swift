internal import CCurl
internal import EventLoop
internal import HTTPWire

/// Who wants a connection of its own.
protocol CurlDialOwner: AnyObject {
    /// The connection is there, or will not be.
    func dialEnded(_ failure: HTTPTransportError?)
    /// What was watched for has come.
    func dialIsReady(_ events: EpollEvents)
}

/// A connection that libcurl opens, proxy and TLS included, and then leaves to an owner as a stream of bytes
/// (`CURLOPT_CONNECT_ONLY`).
///
/// libcurl keeps its hands off the socket from then on, so that is in the loop's epoll set by itself. The easy handle
/// must stay with its multi handle, without which it neither sends nor receives; taking it away closes the connection.
///
/// `@unchecked Sendable`: confined to the loop of its multi handle.
final class CurlDial: EpollHandler, @unchecked Sendable {
    /// What came of looking for bytes.
    enum Reception: Equatable {
        case bytes(Int)
        /// None for now.
        case nothing
        /// The other side will send no more.
        case end
        case failure
    }

    let multi: CurlMulti
    let isSecure: Bool
    /// Who is told, and lives until ``hangUp()``; whoever takes the connection over takes its place.
    var owner: (any CurlDialOwner)?
    private var handle: CurlHandle?
    private var socket: Int32 = -1
    /// Nil while the socket is not in the loop's epoll set.
    private var interest: EpollInterest?
    private let isPublicOnly: Bool
    private var isAddressRefused = false

    /// Begins to connect.
    ///
    /// The owner hears of the end in any case, never inside of this call.
    ///
    /// - Parameters:
    ///   - url: With `https` or `http`.
    ///   - isPublicOnly: Whether it may lead to addresses of the public Internet only. The default is false.
    ///   - timeout: For name resolution, TCP, proxy and TLS together.
    ///   - receiveBuffer: The most bytes that one ``receive(into:)`` brings; under TLS at most those of one record.
    init(
        _ url: String,
        isSecure: Bool,
        isPublicOnly: Bool = false,
        timeout: Duration,
        receiveBuffer: Int,
        on multi: CurlMulti,
        owner: any CurlDialOwner
    ) {
        self.multi = multi
        self.isSecure = isSecure
        self.isPublicOnly = isPublicOnly
        self.owner = owner
        if let failure = self.begin(url, timeout, receiveBuffer) {
            multi.loop.execute { self.owner?.dialEnded(failure) }
        }
    }

    private func begin(_ url: String, _ timeout: Duration, _ receiveBuffer: Int) -> HTTPTransportError? {
        guard let raw = self.multi.raw else { return self.failure(.refused, "the client is shut down") }
        guard let handle = CurlHandle(sharing: self.multi.share) else {
            return self.failure(.refused, "no memory for a handle")
        }
        handle.set(CURLOPT_URL, url)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_BUFFERSIZE, receiveBuffer)
        self.multi.setConnection(handle, isSecure: self.isSecure, timeout: timeout)
        self.multi.setClosing(handle)
        handle.set(CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        ccurl_set_open_socket_callback(handle.raw) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<CurlDial>.fromOpaque(context).takeUnretainedValue().open(address)
        }
        if self.isSecure {
            ccurl_set_tls_context_callback(handle.raw) { _, context, _ in
                if let context { ccurl_tls_prepare(context) }
                return CURLE_OK
            }
        }
        guard handle.hasAllOptions else { return self.failure(.refused, "libcurl refused an option") }
        guard curl_multi_add_handle(raw, handle.raw) == CURLM_OK else {
            return self.failure(.refused, "libcurl took no further connection")
        }
        self.handle = handle
        self.multi.dials[handle.raw] = self
        return nil
    }

    private func failure(_ reason: HTTPTransportError.Reason, _ detail: String) -> HTTPTransportError {
        HTTPTransportError(reason: reason, bytesSent: 0, detail: detail)
    }

    /// Plain connections stay on this machine, and what is for the public Internet goes nowhere else, whatever a name
    /// resolves to.
    private func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let isInReach = !self.isPublicOnly || ccurl_is_public(address)
        guard isInReach, self.isSecure || ccurl_is_loopback(address) else {
            self.isAddressRefused = true
            return -1
        }
        return self.multi.open(address)
    }

    /// libcurl's part is over.
    func ended(_ code: CURLcode) {
        guard let handle = self.handle, let owner = self.owner else { return self.hangUp() }
        guard code == CURLE_OK else {
            let failure = self.failure(CurlResult.reason(of: code.rawValue), handle.detail(of: code))
            self.hangUp()
            return owner.dialEnded(self.isAddressRefused ? self.addressRefusal : failure)
        }
        self.socket = ccurl_active_socket(handle.raw)
        guard self.socket >= 0 else {
            self.hangUp()
            return owner.dialEnded(self.failure(.connect, "the connection was closed as soon as it stood"))
        }
        self.multi.unwatch(self.socket)
        self.watch([.readable])
        guard self.interest != nil else {
            self.hangUp()
            return owner.dialEnded(self.failure(.refused, "the connection cannot be watched"))
        }
        owner.dialEnded(nil)
    }

    /// Hangs up and tells the owner.
    func cut() {
        let owner = self.owner
        self.hangUp()
        owner?.dialEnded(self.failure(.refused, "the client is shut down"))
    }

    private var addressRefusal: HTTPTransportError {
        self.failure(
            .refused,
            self.isPublicOnly
                ? "the host's address is not a public one"
                : "plain http:// and ws:// are allowed for loopback hosts only"
        )
    }

    // MARK: - The stream

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        self.owner?.dialIsReady(events)
    }

    /// Says what is waited for; ends and errors are always reported.
    func watch(_ interest: EpollInterest) {
        guard self.socket >= 0, interest != self.interest else { return }
        if self.interest != nil {
            self.multi.loop.modify(self.socket, interest: interest)
        } else if (try? self.multi.loop.register(self.socket, interest: interest, handler: self)) == nil {
            // No watch is left. The deadlines of the owner end it; there is no better way.
            return
        }
        self.interest = interest
    }

    /// Reports nothing more until something is waited for again.
    func ignore() {
        guard self.interest != nil else { return }
        self.interest = nil
        self.multi.loop.deregister(self.socket)
    }

    /// Takes bytes that have come.
    func receive(into memory: UnsafeMutableRawBufferPointer) -> Reception {
        guard let handle = self.handle else { return .failure }
        var count = 0
        switch curl_easy_recv(handle.raw, memory.baseAddress, memory.count, &count) {
        case CURLE_OK: return count > 0 ? .bytes(count) : .end
        case CURLE_AGAIN: return .nothing
        default: return .failure
        }
    }

    /// Whether bytes may wait where a look at the socket does not find them.
    ///
    /// What waits in the socket itself is reported again.
    var holdsBytes: Bool {
        guard self.isSecure, let handle = self.handle else { return false }
        return ccurl_tls_has_unread(handle.raw)
    }

    /// Whether the connection is open and has brought nothing that is not read.
    var isQuiet: Bool { self.socket >= 0 && ccurl_is_quiet(self.socket) && !self.holdsBytes }

    /// Whether the other side has said under TLS that the stream ends, so that nothing can be missing in front of it.
    var hasOrderlyEnd: Bool {
        guard let handle = self.handle else { return false }
        return ccurl_tls_has_ended(handle.raw)
    }

    /// Sends as many of the bytes as go at once; their number, or nil when none ever will.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let handle = self.handle else { return nil }
        var done = 0
        while done < bytes.count {
            var count = 0
            let code = curl_easy_send(handle.raw, bytes.baseAddress.map { $0 + done }, bytes.count - done, &count)
            if code == CURLE_AGAIN { return done }
            // What went before has left all the same; the next call fails again.
            guard code == CURLE_OK else { return done > 0 ? done : nil }
            done += count
        }
        return done
    }

    /// Closes the connection so that the other side sees a reset.
    func reset() {
        if self.socket >= 0 { ccurl_reset_at_close(self.socket) }
        self.hangUp()
    }

    /// Closes the connection, or gives up to open it.
    ///
    /// Idempotent; the owner hears nothing more.
    func hangUp() {
        self.owner = nil
        guard let handle = self.handle else { return }
        self.handle = nil
        self.ignore()
        self.socket = -1
        self.multi.dials[handle.raw] = nil
        if let raw = self.multi.raw { curl_multi_remove_handle(raw, handle.raw) }
    }
}
