import MAMSupport

/// The place that a request is for.
enum Route: Equatable {
    /// A call of the app protocol.
    enum Call: String {
        case checkIn = "check-in", reportWipe = "wipe-report", exchangeKeys = "exchange-keys", unenroll
    }

    case discovery
    case enroll
    case registration(String, Call)

    /// The method by which it is asked.
    var method: String { self == .discovery ? "GET" : "POST" }

    /// Its name in logs and figures.
    var name: String {
        switch self {
        case .discovery: "discovery"
        case .enroll: "enroll"
        case .registration(_, let call): call.rawValue
        }
    }

    /// The route of a path below the service's own; nil for none. Ids are of A-Z a-z 0-9 _ -.
    init?(_ path: Substring) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch parts {
        case ["", ".well-known", "mam-authority"]: self = .discovery
        case ["", "mam", "v1", "registrations"]: self = .enroll
        default:
            guard parts.count == 6, Array(parts[0...3]) == ["", "mam", "v1", "registrations"],
                Route.isId(parts[4]), let call = Call(rawValue: parts[5])
            else { return nil }
            self = .registration(parts[4], call)
        }
    }

    private static func isId(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(Identity.fold($0))
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }
}

/// The addresses by which clients know the service.
struct ServiceAddresses: Sendable {
    let first: ServiceAddress
    private let others: [ServiceAddress]

    /// URLs without a slash at the end. The first is the one that counts where a request names none of them.
    init(_ urls: [String]) throws(MAMError) {
        guard let first = urls.first else { throw .argument("addresses", "is empty") }
        self.first = ServiceAddress(first)
        others = urls.dropFirst().map(ServiceAddress.init)
    }

    /// The address by which a client asks.
    func address(for host: String) -> ServiceAddress { others.first { $0.authority == host } ?? first }
}

/// One of the addresses by which clients know the service.
struct ServiceAddress: Sendable {
    /// "https://host:port".
    let origin: String
    /// "host:port", as in the Host field.
    let authority: String
    /// The path of the address, without a slash at the end; empty for none.
    let path: String

    /// The address without a slash at the end.
    var url: String { origin + path }
    /// The API's URL.
    var api: String { url + "/mam/v1" }

    init(_ url: String) {
        let scheme = "https://"
        let rest = url.hasPrefix(scheme) ? url.dropFirst(scheme.count) : url[...]
        let authority = rest.prefix { $0 != "/" }
        self.authority = String(authority)
        origin = scheme + authority
        path = String(rest.dropFirst(authority.count))
    }
}
