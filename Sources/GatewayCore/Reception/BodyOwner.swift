/// Whose room a body takes: that of a client, and half of it at most for one of its users.
struct BodyOwner: Hashable, Sendable {
    let client: String
    /// Nil for nobody in particular.
    let user: String?

    init(client: String, user: String? = nil) {
        self.client = client
        self.user = user
    }

    init(_ principal: Principal) {
        self.init(client: principal.client, user: principal.user)
    }

    /// Of content whose sender is not known; no client has this name.
    static let nobody = BodyOwner(client: "")
}
