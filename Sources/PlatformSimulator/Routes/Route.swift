import HTTPWire

/// Where a request goes.
enum Route: Sendable {
    case evaluate
    case report(String)
    /// The path is known, the method is not; with the methods that are.
    case wrongMethod(String)
    /// An endpoint of the platform that comes later.
    case notSimulated
    /// A compat name that the platform does not know.
    case unregistered
    case unknown

    /// The compat names (contract yugu, section 5).
    static let compatNames: Set<String> = [
        "word.eval", "word.eval.pro", "sent.eval", "sent.eval.pro", "para.eval", "alpha.eval", "word.eval.cn",
        "sent.eval.cn", "para.eval.cn", "pinyin",
    ]

    /// Reads method and path.
    init(_ head: HTTPRequestHead) {
        let reportPrefix = "/api/v1/report/"
        if head.path == "/api/v1/evaluate" {
            self = head.method == .post ? .evaluate : .wrongMethod("POST")
        } else if head.path.hasPrefix(reportPrefix) {
            let segment = String(head.path.dropFirst(reportPrefix.count))
            if let recordID = PercentCoding.decode(segment), !segment.isEmpty, !segment.contains("/") {
                self = head.method == .get ? .report(recordID) : .wrongMethod("GET")
            } else {
                self = .unknown
            }
        } else if head.path == "/api/v1/tts/generate" {
            self = .notSimulated
        } else {
            let name = String(head.path.dropFirst())
            if Self.compatNames.contains(name) {
                self = head.method == .post ? .notSimulated : .wrongMethod("POST")
            } else {
                self = name.contains(".") && !name.contains("/") ? .unregistered : .unknown
            }
        }
    }
}
