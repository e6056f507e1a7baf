/// Which end of a connection this is: what a client sends is masked, what a server sends is not (RFC 6455, section 5.1).
public enum WebSocketRole: Hashable, Sendable {
    case client
    case server
}
