import MAMAuthority
import MAMFiles
import MAMMessages
import MAMProtection
import MAMState
import MAMSupport

/// "authority" of the settings: who manages.
enum AuthoritySettings: Sendable {
    /// A file on this computer, and the keys of which it must have one; empty where the host names none.
    case embedded(path: String, keys: [VerifyingKey])
    indirect case service(ServiceSettings)

    init(_ reader: inout ObjectReader) throws(MAMError) {
        guard let json = try reader.object("authority") else {
            throw reader.error(
                "authority",
                "is missing, and is never guessed; for example \"authority\":{\"type\":\"embedded\",\"path\":\"/var/lib/mam/authority.db\"}"
            )
        }
        var authority = try ObjectReader(json, "authority")
        switch try authority.choice("type", of: ["embedded", "https"]) {
        case "https": self = .service(try ServiceSettings(&authority))
        case "embedded": self = try AuthoritySettings.embedded(&authority)
        default: throw authority.error("type", "is missing; it is \"embedded\" or \"https\"")
        }
        try authority.end()
    }

    private static func embedded(_ authority: inout ObjectReader) throws(MAMError) -> AuthoritySettings {
        let path = try authority.requiredString("path")
        let given = try authority.strings("keys")
        var keys: [VerifyingKey] = []
        for text in given ?? [] {
            guard let key = VerifyingKey(base64: text) else {
                throw invalid(
                    "keys",
                    "holds \(ForeignText.quoted(text)), which is no Ed25519 key: 32 bytes in base64, as mamctl authority key show "
                        + "prints them")
            }
            keys.append(key)
        }
        guard given == nil || !keys.isEmpty, keys.count <= 16 else {
            throw invalid("keys", "must name 1 to 16 keys; leave it out to take the first key that is seen")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 3000 else {
            throw invalid("path", "must be an absolute path of at most 3000 bytes")
        }
        return .embedded(path: path, keys: keys)
    }

    static func invalid(_ key: String, _ what: String) -> MAMError {
        MAMError(.argument, "authority.\(key) \(what)", [("setting", .string("authority.\(key)"))])
    }

    /// The authority's path or URL.
    var place: String {
        switch self {
        case .embedded(let path, _): path
        case .service(let service): service.url
        }
    }

    /// The files that it needs.
    var files: [LibraryFiles.File] {
        switch self {
        case .embedded(let path, _): [LibraryFiles.File(path: path, kind: .authority)]
        case .service(let service):
            service.transport.certificateFile.map { [LibraryFiles.File(path: $0, kind: .certificate)] } ?? []
        }
    }

    /// The proxy that the settings name; nil for none, and for that of the system.
    var proxy: String? {
        guard case .service(let service) = self, let proxy = service.transport.proxy, !proxy.isEmpty else { return nil }
        return proxy
    }

    /// Whether the authority is on the network.
    var isService: Bool { if case .service = self { true } else { false } }

    /// The kinds of secrets that answer `accessToken`.
    var acceptedProofs: [String] {
        switch self {
        case .embedded: ["token"]
        case .service: ["token", "invitation"]
        }
    }

    /// How long another process may hold the lease for enrolling.
    var leaseWait: TimeSpan {
        switch self {
        case .embedded: .seconds(5)
        // Discovery, and the enrollment with and without a token.
        case .service(let service): TimeSpan(milliseconds: 3 * service.transport.timeout.milliseconds)
        }
    }

    /// Keys of which an authority in a file must have one; empty where the host names none, and for a service, whose replies are judged
    /// when they come.
    var keys: [VerifyingKey] {
        switch self {
        case .embedded(_, let keys): keys
        case .service: []
        }
    }

    /// The members that diagnostics show.
    var members: [JSON.Member] {
        switch self {
        case .embedded(let path, _): [("type", "embedded"), ("path", .string(path))]
        case .service(let service): [("type", "https"), ("url", .string(service.url))]
        }
    }

    /// The authority itself. Nothing is opened or asked yet. `transport` carries requests in place of libcurl.
    func open(
        _ state: State, _ interrupts: InterruptSource, _ clock: Clock, _ transport: (any Transport)? = nil
    ) -> any Authority {
        switch self {
        case .embedded(let path, let keys):
            EmbeddedAuthority(path: path, keys: keys, interrupts: interrupts, now: clock.now)
        case .service(let service):
            ServiceAuthority(
                service, transport: transport ?? CurlTransport(service.transport, interrupts: interrupts),
                provider: transport ?? CurlTransport(service.ofProvider, interrupts: interrupts),
                store: StoredServiceRecord(state: state, url: service.url), clock: clock, libraryVersion: libraryVersion
            )
        }
    }
}
