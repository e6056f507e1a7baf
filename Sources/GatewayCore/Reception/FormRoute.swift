internal import HTTPWire

extension Exchange {
    /// Reads the request's multipart body to its end.
    ///
    /// - Parameters:
    ///   - fileParts: The names of the parts that hold files.
    ///   - recording: The name of the one that is judged as it arrives; nil for none.
    ///   - storage: Where the content goes.
    ///   - admission: What the head tells of who sends it.
    /// - Returns: The form, and whose it is.
    /// - Throws: 415 for another content type, 413 before a byte is read, 400 for a broken form, 401 for one that is not
    ///   what was signed, 408, 503.
    public func receiveForm(
        fileParts: [String],
        recording: String? = nil,
        storage: BodyStorage,
        admission: Admission
    ) async throws(GatewayError) -> (form: ReceivedForm, principal: Principal) {
        let boundary = try self.boundary()
        let declared = self.declaredLength
        var observers: [any FormObserver] = recording.map { [RecordingJudge(of: $0)] } ?? []
        let buffer: BodyBuffer
        switch admission {
        case .accepted(let principal):
            buffer = try storage.makeBuffer(declared: declared, for: BodyOwner(principal))
        case .needsBody(let request):
            let client = request.principal.client
            buffer = try storage.makeBuffer(declared: declared, from: request.address, claiming: client)
            observers.append(SignedFormProof(request, of: buffer))
        }
        let reception = FormReception(
            boundary: boundary,
            fileParts: fileParts,
            buffer: buffer,
            digest: storage.makeDigest(),
            observers: observers
        )
        let form: ReceivedForm
        do throws(GatewayError) {
            defer { self.trace.receivedBytes = reception.receivedBytes }
            try await self.read(into: reception, limit: storage.configuration.uploadBytes)
            form = try reception.finish()
        } catch {
            if !buffer.isGiven { admission.noteUnprovenEnd(error) }
            throw error
        }
        let principal = try admission.principal(of: form)
        self.trace.note(principal)
        try buffer.give(to: BodyOwner(principal))
        return (form, principal)
    }

    /// The length of the content that the head declares; nil if it comes in chunks.
    var declaredLength: Int? {
        if case .length(let length) = self.head.framing { length } else { nil }
    }

    /// Reads the request's content to its end.
    func read(into consumer: some HTTPBodyConsumer, limit: Int) async throws(GatewayError) {
        let start = ContinuousClock.now
        defer { self.trace.add(ContinuousClock.now - start, to: .content) }
        do {
            try await self.request.body.read(into: consumer, limit: limit)
        } catch let error as GatewayError {
            throw error
        } catch let error as MultipartError {
            throw FormReception.refusal(of: error)
        } catch let error as HTTPRequestBodyError {
            throw Self.refusal(of: error, limit: limit)
        } catch {
            throw .unexpected
        }
    }

    /// What a client reads when its body did not arrive.
    private static func refusal(of error: HTTPRequestBodyError, limit: Int) -> GatewayError {
        switch error {
        case .tooLarge:
            return .tooLarge(limit: limit)
        case .timedOut:
            return GatewayError(
                status: 408,
                code: .validation,
                origin: .client,
                message: "The request body came too slowly or stopped; send it again over a better link, or less of it."
            )
        case .malformed(let what):
            return .invalid("The request body is broken: \(what)")
        case .disconnected:
            return .invalid("The request body ended early.")
        }
    }

    private func boundary() throws(GatewayError) -> String {
        guard let contentType = self.head.fields[.contentType], self.head.fields.count(of: .contentType) == 1 else {
            throw .unsupportedMediaType("Send the form with one Content-Type: multipart/form-data; boundary=…")
        }
        do {
            return try MultipartParser.boundary(ofContentType: contentType)
        } catch {
            switch error {
            case .notFormData:
                throw .unsupportedMediaType("The Content-Type must be multipart/form-data (curl -F makes one).")
            default:
                throw .invalid("The Content-Type lacks a valid boundary of 1 to 70 characters.")
            }
        }
    }
}
