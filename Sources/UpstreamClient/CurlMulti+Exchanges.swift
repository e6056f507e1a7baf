internal import CCurl
internal import EventLoop
internal import HTTPWire
private import Synchronization

extension CurlMulti {
    private static let maximumSpareHandles = 256

    /// Begins an exchange.
    ///
    /// Its caller is woken in any case, never inside of this call.
    func start(_ transfer: Transfer) {
        precondition(self.loop.isCurrent, "an exchange begins on its loop")
        guard let raw = self.raw else {
            return self.refuse(transfer, .refused, "the client is shut down")
        }
        guard !transfer.isCancelled.load(ordering: .acquiring) else {
            return self.refuse(transfer, .cancelled, "cancelled before it began")
        }
        guard self.running.count < self.configuration.maximumTransfers else {
            return self.refuse(transfer, .refused, "too many exchanges at one time")
        }
        guard transfer.request.timeout > .zero else {
            return self.refuse(transfer, .timeout, "no time was left to begin")
        }
        guard let handle = self.spareHandles.popLast() ?? CurlHandle() else {
            return self.refuse(transfer, .refused, "no memory for a handle")
        }
        guard self.prepare(handle, for: transfer, scratch: &self.scratch) else {
            return self.refuse(transfer, .refused, "the request's fields or method cannot be sent")
        }
        transfer.handle = handle
        transfer.deadline = self.loop.now + transfer.request.timeout
        self.running[transfer.serial] = transfer
        let code = curl_multi_add_handle(raw, handle.raw)
        guard code == CURLM_OK else {
            self.running[transfer.serial] = nil
            transfer.handle = nil
            return self.refuse(transfer, .refused, "libcurl took no further exchange")
        }
    }

    /// Drops an exchange, and its connection with it.
    ///
    /// Late calls find nothing.
    func cancel(_ serial: UInt64) {
        guard let transfer = self.running[serial] else { return }
        self.abandon(transfer, .cancelled, "cancelled by the caller")
    }

    /// Takes what an exchange was told to keep.
    ///
    /// Late calls find nothing.
    func resume(_ serial: UInt64) {
        guard let handle = self.running[serial]?.handle else { return }
        // libcurl may hand content out inside of this call, and asks for its timer to go on.
        curl_easy_pause(handle.raw, CURLPAUSE_CONT)
    }

    private func refuse(
        _ transfer: Transfer,
        _ reason: HTTPTransportError.Reason,
        _ detail: String
    ) {
        transfer.finish(.failure(HTTPTransportError(reason: reason, bytesSent: 0, detail: detail)))
    }

    func abandon(_ transfer: Transfer, _ reason: HTTPTransportError.Reason, _ detail: String) {
        guard let raw = self.raw, let handle = transfer.handle else { return }
        let end = handle.end(CURLE_ABORTED_BY_CALLBACK)
        curl_multi_remove_handle(raw, handle.raw)
        self.running[transfer.serial] = nil
        transfer.handle = nil
        transfer.finish(.failure(transfer.machine.abandoned(reason, detail, at: end)))
    }

    /// Keeps a handle for the next exchange.
    ///
    /// Only one that brought an answer: after some failures a handle keeps what a reset does not free, and refuses
    /// options.
    private func recycle(_ handle: CurlHandle) {
        handle.reset()
        guard self.spareHandles.count < Self.maximumSpareHandles else { return }
        self.spareHandles.append(handle)
    }

    func complete(_ transfer: Transfer, _ code: CURLcode, _ raw: UnsafeMutableRawPointer) {
        guard let handle = transfer.handle else { return }
        let verdict = self.verdict(on: transfer, code, handle)
        curl_multi_remove_handle(raw, handle.raw)
        if case .retryOnFreshConnection = verdict, let deadline = transfer.deadline {
            transfer.restart()
            let left = self.loop.now.duration(to: deadline)
            handle.set(CURLOPT_FRESH_CONNECT, 1)
            handle.set(CURLOPT_TIMEOUT_MS, max(1, left.milliseconds))
            if curl_multi_add_handle(raw, handle.raw) == CURLM_OK { return }
        }
        self.running[transfer.serial] = nil
        transfer.handle = nil
        switch verdict {
        case .answer(let status, let fields):
            self.recycle(handle)
            transfer.finish(transfer.answer(status: status, fields: fields))
        case .failure(let error):
            transfer.finish(.failure(error))
        case .retryOnFreshConnection:
            self.refuse(transfer, .refused, "libcurl took no further exchange")
        }
    }

    private func verdict(
        on transfer: Transfer,
        _ code: CURLcode,
        _ handle: CurlHandle
    ) -> TransferStateMachine.Verdict {
        // The facts of an end are only gathered where they matter.
        if code == CURLE_OK, transfer.machine.isAnswered {
            return .answer(status: transfer.machine.head.status, fields: transfer.machine.head.fields)
        }
        return transfer.machine.verdict(at: handle.end(code))
    }
}
