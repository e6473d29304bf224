/// A request as it reached the service.
public struct ServiceRequest: Sendable {
    /// The method, such as "POST".
    public var method: String
    /// The path, byte for byte, with its query where there is one.
    public var path: String
    /// The host and port that the client named.
    public var host: String
    /// The fields, with names in lower case, in their order.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// The access token that it brings, its signature verified, or why it is refused; nil without a token.
    public var token: Result<AccessToken, TokenRefusal>?

    /// Create a request.
    public init(method: String, path: String, host: String, fields: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.path = path
        self.host = host
        self.fields = fields
        self.body = body
    }
}

/// A reply to send.
public struct ServiceReply: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The fields, without Content-Length and Date.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// The call that was answered, such as "check-in"; "none" for a path or method that there is not.
    public var call = "none"
    /// How it ended: the "result" of a reply, "ok" where it has none, the name of a refusal, or "unsigned".
    public var outcome = "unsigned"

    /// Create a reply.
    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8], outcome: String = "unsigned") {
        (self.status, self.fields, self.body, self.outcome) = (status, fields, body, outcome)
    }
}
