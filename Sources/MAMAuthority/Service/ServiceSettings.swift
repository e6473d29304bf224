import MAMMessages
import MAMSupport

/// The settings of an authority on the network: `"authority":{"type":"https",…}`.
public struct ServiceSettings: Sendable {
    /// The service's URL, without a slash at the end.
    public var url: String
    /// Its keys; nil where the first contact is to tell them.
    public var keys: AuthorityKeys?
    /// The number of the latest statement that these keys follow; 0 for none.
    public var statement: Int64
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
    /// The provider at which people sign in, and how libmam reaches it, as far as it is not the service's document that names it.
    public var signIn = ProviderSettings()

    /// Create settings.
    public init(
        url: String, keys: AuthorityKeys?, statement: Int64 = 0, certificate: String? = nil,
        certificateFile: String? = nil, pins: [String] = [], proxy: String? = nil, timeout: TimeSpan = .seconds(30)
    ) {
        (self.url, self.keys, self.statement) = (url, keys, statement)
        (self.certificate, self.certificateFile, self.pins) = (certificate, certificateFile, pins)
        (self.proxy, self.timeout) = (proxy, timeout)
    }

    /// Whether a URL is on the service's scheme, host and port.
    func isOrigin(of other: String) -> Bool {
        let rest = url.dropFirst("https://".count)
        let origin = "https://" + rest.prefix { $0 != "/" }
        return other.utf8.starts(with: origin.utf8)
            && other.utf8.dropFirst(origin.utf8.count).first == UInt8(ascii: "/")
    }
}
