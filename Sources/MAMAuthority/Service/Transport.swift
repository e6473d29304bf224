import MAMMessages

/// A request as it goes over the wire.
public struct TransportRequest: Sendable {
    /// "GET" or "POST".
    public let method: String
    /// An https URL.
    public let url: String
    /// The fields, with names in lower case.
    public let fields: [MessageField]
    /// The body; empty for none.
    public let body: [UInt8]
}

/// A reply as it came; nothing about it is checked yet.
public struct TransportReply: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The fields, with names in lower case.
    public let fields: [MessageField]
    /// The body.
    public let body: [UInt8]

    /// Create a reply.
    public init(status: Int, fields: [MessageField], body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}

/// Why no reply came.
public struct TransportFailure: Error, Sendable {
    /// The kind of failure.
    public enum Kind: Sendable {
        case noLibrary, noName, noAnswer, notTrusted, wrongHost, notYetValid, wrongPin, proxyLogin, timeout,
            interrupted, tooLarge, failed
    }

    /// The kind.
    public let kind: Kind
    /// One line for a person, without a full stop.
    public let reason: String

    /// Create a failure.
    public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
}

/// Carries one request to a service and its reply back, on the calling thread.
public protocol Transport: Sendable {
    /// Send a request and wait for its reply.
    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply
    /// Use these credentials for a proxy that asks for some; nil for none.
    func use(_ credentials: ProxyCredentials?)
}

extension Transport {
    /// Without a proxy there is nothing to do.
    public func use(_ credentials: ProxyCredentials?) {}
}
