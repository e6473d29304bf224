import MAMPolicy

/// Why the authority did not do it.
public struct AuthorityFailure: Error, Sendable {
    /// A code of docs/status-codes.md.
    public let code: StatusCode
    /// One line for a person, without a full stop; "" where the code says it all.
    public let message: String
    /// Ask the host for a token and try again.
    public let needsToken: Bool
    /// The user is unknown or disabled: another try does not help.
    public let isUserRefused: Bool

    /// A failure.
    public init(_ code: StatusCode, _ message: String, needsToken: Bool = false, isUserRefused: Bool = false) {
        self.code = code
        self.message = message
        self.needsToken = needsToken
        self.isUserRefused = isUserRefused
    }
}
