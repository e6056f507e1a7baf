internal import HTTPWire
internal import Store

extension Exchange {
    /// Reads the request's multipart body to its end.
    ///
    /// - Parameters:
    ///   - fileParts: The names of the parts that hold files.
    ///   - recording: The name of the one that is judged as it arrives; nil for none.
    ///   - storage: Where the content goes.
    ///   - admission: Whose share of the storage it takes; its principal can be asked for with the form.
    /// - Throws: 415 for another content type, 413 before a byte is read, 400 for a broken form, 408, 503.
    public func receiveForm(
        fileParts: [String],
        recording: String? = nil,
        storage: BodyStorage,
        admission: Admission
    ) async throws(GatewayError) -> ReceivedForm {
        let boundary = try self.boundary()
        let declared: Int? = if case .length(let length) = self.head.framing { length } else { nil }
        let buffer = try storage.makeBuffer(declared: declared, client: admission.client)
        var observers: [any FormObserver] = []
        if case .needsBody(let request) = admission {
            observers.append(SignedFormProof(request, unproven: storage.unproven.reserve(0)))
        }
        if let recording { observers.append(RecordingJudge(of: recording)) }
        let reception = FormReception(
            boundary: boundary,
            fileParts: fileParts,
            buffer: buffer,
            digest: storage.makeDigest(),
            observers: observers
        )
        let limit = storage.configuration.uploadBytes
        do {
            try await self.request.body.read(into: reception, limit: limit)
        } catch let error as GatewayError {
            throw error
        } catch let error as MultipartError {
            throw FormReception.refusal(of: error)
        } catch let error as HTTPRequestBodyError {
            throw Self.refusal(of: error, limit: limit)
        } catch {
            throw .unexpected
        }
        return try reception.finish()
    }

    /// What a client reads when its body did not arrive.
    static func refusal(of error: HTTPRequestBodyError, limit: Int) -> GatewayError {
        switch error {
        case .tooLarge:
            return .tooLarge(limit: limit)
        case .timedOut:
            return GatewayError(
                status: 408,
                code: .validation,
                origin: .client,
                message: "The request body stopped arriving; send it again."
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
