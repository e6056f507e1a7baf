internal import GatewayCore

/// The two forms in which a recording is sent for evaluation.
enum EvaluateSurface: Sendable {
    /// `POST /api/v1/evaluate`, parameters in one JSON part (contract yugu, section 4).
    case native
    /// `POST /{coreType}`, parameters in text parts (contract yugu, section 5).
    case compat(CompatName)

    /// All of them: one route each.
    static var all: [EvaluateSurface] { [.native] + CompatName.allCases.map { .compat($0) } }

    /// The path, the platform's and ours.
    var path: String {
        switch self {
        case .native: "/api/v1/evaluate"
        case .compat(let name): "/" + name.rawValue
        }
    }

    /// What the call is named in records, logs and fingerprints (contract yugu, section 17).
    var operation: String {
        switch self {
        case .native: "evaluate"
        case .compat: "evaluateCompat"
        }
    }

    /// The parts that hold files; whatever else is sent is text, and signed.
    var fileParts: [String] {
        switch self {
        case .native: Self.nativeFiles
        case .compat: Self.compatFiles
        }
    }

    private static let nativeFiles = [EvaluateForm.audioName, EvaluateForm.imageName]
    private static let compatFiles = [EvaluateForm.audioName]

    /// The form with what is certain about it checked.
    ///
    /// - Throws: 400/40001 that names the part or field.
    func form(_ received: ReceivedForm) throws(GatewayError) -> EvaluateForm {
        switch self {
        case .native: try EvaluateForm(native: received)
        case .compat(let name): try EvaluateForm(compat: received, name: name)
        }
    }

    /// What is told of a body that is no form; the compat endpoints know no 415 (contract yugu, section 5).
    func refusal(_ error: GatewayError) -> GatewayError {
        guard case .compat = self, error.status == 415 else { return error }
        return .invalid(error.message)
    }
}
