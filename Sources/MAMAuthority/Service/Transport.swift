import MAMMessages
import MAMSupport

/// A request as it goes over the wire.
public struct TransportRequest: Sendable {
    /// "GET" or "POST".
    public let method: String
    /// An https URL.
    public let url: String
    /// The fields that are not secret, with names in lower case.
    let plainFields: [MessageField]
    /// The field Authorization; nil for none.
    let authorization: SecretBytes?
    /// A body that is secret; so is the reply's then. nil for any other.
    let secret: SecretBytes?
    private let plain: [UInt8]

    /// Create a request.
    public init(
        method: String, url: String, fields: [MessageField] = [], authorization: SecretBytes? = nil, body: [UInt8] = []
    ) {
        (self.method, self.url, plainFields, self.authorization) = (method, url, fields, authorization)
        (plain, secret) = (body, nil)
    }

    /// Create a request with a body that is secret, and whose reply is.
    init(method: String, url: String, fields: [MessageField], secret: SecretBytes) {
        (self.method, self.url, plainFields, authorization) = (method, url, fields, nil)
        (plain, self.secret) = ([], secret)
    }

    /// The fields, Authorization in a copy that nobody zeroes.
    public var fields: [MessageField] {
        let secret = authorization?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return plainFields + (secret.map { [("authorization", $0)] } ?? [])
    }

    /// Access the body; it is empty for none.
    func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        secret?.withUnsafeBytes(body) ?? plain.withUnsafeBytes(body)
    }

    /// A copy of the body, which nobody zeroes.
    public var body: [UInt8] { withBody { Array($0) } }
}

/// How servers are reached and trusted.
public struct TransportSettings: Sendable {
    /// PEM certificates that are trusted alone; nil: `certificateFile`.
    public var certificate: String?
    /// A file of such; nil: the system's.
    public var certificateFile: String?
    /// Pins of TLS keys, as "sha256//…"; empty for none.
    public var pins: [String]
    /// The URL of a proxy; "" for none, nil for that of the environment.
    public var proxy: String?
    /// The longest time of a request.
    public var timeout: TimeSpan
    /// The longest body of a reply, in bytes.
    public var longestReply: Int

    /// Create settings.
    public init(
        certificate: String? = nil, certificateFile: String? = nil, pins: [String] = [], proxy: String? = nil,
        timeout: TimeSpan = .seconds(30), longestReply: Int = CurlTransport.longestReply
    ) {
        (self.certificate, self.certificateFile, self.pins) = (certificate, certificateFile, pins)
        (self.proxy, self.timeout, self.longestReply) = (proxy, timeout, longestReply)
    }
}

/// A reply as it came; nothing about it is checked yet.
public struct TransportReply: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The fields, with names in lower case.
    public let fields: [MessageField]
    /// The body; empty where it is secret.
    public let body: [UInt8]
    /// The body of the reply to a request whose body is secret; nil for another.
    private let secret: SecretBytes?

    /// Create a reply.
    public init(status: Int, fields: [MessageField], body: [UInt8]) {
        (self.status, self.fields, self.body, secret) = (status, fields, body, nil)
    }

    /// Create a reply whose body is secret.
    init(status: Int, fields: [MessageField], secret: SecretBytes) {
        (self.status, self.fields, body, self.secret) = (status, fields, [], secret)
    }

    /// The body in secret memory.
    func secretBody() throws(MAMError) -> SecretBytes {
        if let secret { return secret }
        return try SecretBytes(count: body.count) { $0.copyBytes(from: body) }
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
    /// Send a request over a connection that an earlier one has left open, if it is to the same server, and leave it open again.
    func exchange(
        _ request: TransportRequest, over connection: TransportConnection
    ) throws(TransportFailure) -> TransportReply
    /// Use these credentials for a proxy that asks for some; nil for none.
    func use(_ credentials: ProxyCredentials?)
}

extension Transport {
    /// Without connections each request is sent alike.
    public func exchange(
        _ request: TransportRequest, over connection: TransportConnection
    ) throws(TransportFailure) -> TransportReply { try exchange(request) }
    /// Without a proxy there is nothing to do.
    public func use(_ credentials: ProxyCredentials?) {}
}
