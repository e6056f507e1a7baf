public import HTTPWire

/// What a client's text frame asks for.
public enum ClientFrame: Sendable {
    /// A round with these parameters begins, or begins anew.
    case parameters(RoundParameters)
    /// Audio that came as text.
    case audio([UInt8])
    /// The round's audio is complete.
    case end
    /// The client wants to hear that we are there.
    case ping
    /// Parameters with which no round can begin; one that runs is over, as with others.
    case refusedParameters(GatewayError)
    /// Nothing that can be done.
    case refused(GatewayError)
}

/// How a platform and its clients write what a round consists of.
///
/// A dialect translates texts and does nothing else.
public protocol RealtimeDialect: Sendable {
    /// The path, the platform's and ours; part of fingerprints.
    var path: String { get }
    /// The operation's name in records, logs and fingerprints.
    var operation: String { get }

    // MARK: The client's side

    /// Reads a text frame of a client.
    func read(clientFrame: [UInt8]) -> ClientFrame

    /// Says that the session is there.
    var connected: [UInt8] { get }

    /// Says that parameters are accepted.
    ///
    /// - Parameter key: The key that we made for the round; nil when it has one of the client's.
    func started(key: String?) -> [UInt8]

    /// Says that we are there.
    ///
    /// - Parameter time: Unix time in milliseconds.
    func pong(at time: Int64) -> [UInt8]

    /// Says no.
    func refusal(_ error: GatewayError, requestID: String, at time: Int64) -> [UInt8]

    /// Says what the precheck has found in the recording; nil for nothing.
    func warning(_ findings: [RealtimeWarning]) -> [UInt8]

    /// A result frame that says whether it was given before.
    func result(_ frame: [UInt8], isReplayed: Bool) -> [UInt8]

    /// A progress frame without the first so many entries of its `words`.
    ///
    /// - Parameter waiting: A frame from before that the client has not got and will not get: what only that one tells is
    ///   told by this one.
    func progress(_ frame: [UInt8], droppingWords count: Int, inPlaceOf waiting: [UInt8]?) -> [UInt8]

    // MARK: The platform's side

    /// The address of a connection to the platform, signed for an account.
    ///
    /// - Parameters:
    ///   - timestamp: Unix time in seconds by the platform's clock.
    ///   - nonce: Fresh for every connection.
    func handshake(account: Account, timestamp: Int64, nonce: String) -> String

    /// The parameters under the key that the platform sees.
    func parameters(_ parameters: RoundParameters, key: String) -> [UInt8]

    /// Says that the audio is complete.
    var end: [UInt8] { get }

    /// Reads a text frame of the platform.
    func read(platformFrame: [UInt8]) -> RealtimeSession.Message

    /// What the store keeps of a result frame beside its bytes.
    func facts(of frame: [UInt8]) -> AnswerFacts

    /// What the answer to a handshake says that did not open a connection.
    func refusal(of response: HTTPTransportResponse) -> RealtimeSession.PlatformRefusal

    /// The error frame that tells a client of a refusal that came with a handshake; nil when it tells nothing.
    func frame(of refusal: RealtimeSession.PlatformRefusal) -> [UInt8]?
}

/// What the precheck has found in a recording.
public struct RealtimeWarning: Sendable {
    /// The code.
    public let code: Int
    /// Its name.
    public let name: String
    /// In words.
    public let message: String
}
