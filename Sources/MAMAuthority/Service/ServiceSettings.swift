import MAMMessages

/// The settings of an authority on the network: `"authority":{"type":"https",…}`.
public struct ServiceSettings: Sendable {
    /// The service's URL, without a slash at the end.
    public var url: String
    /// Its keys; nil where the first contact is to tell them.
    public var keys: AuthorityKeys?
    /// The number of the latest statement that these keys follow; 0 for none.
    public var statement: Int64
    /// How it is reached and trusted.
    public var transport: TransportSettings
    /// The provider at which people sign in, and how libmam reaches it, as far as it is not the service's document that names it.
    public var signIn = ProviderSettings()

    /// Create settings.
    public init(
        url: String, keys: AuthorityKeys?, statement: Int64 = 0, transport: TransportSettings = TransportSettings()
    ) {
        (self.url, self.keys, self.statement, self.transport) = (url, keys, statement, transport)
    }

    /// Whether a URL is on the service's scheme, host and port.
    func isOrigin(of other: String) -> Bool {
        let rest = url.dropFirst("https://".count)
        let origin = "https://" + rest.prefix { $0 != "/" }
        return other.utf8.starts(with: origin.utf8)
            && other.utf8.dropFirst(origin.utf8.count).first == UInt8(ascii: "/")
    }
}
