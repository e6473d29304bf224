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
        switch path {
        case "/.well-known/mam-authority": self = .discovery
        case Route.registrations: self = .enroll
        default:
            let prefix = "\(Route.registrations)/".utf8
            guard path.utf8.starts(with: prefix) else { return nil }
            let parts = path.utf8.dropFirst(prefix.count).split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.count == 2, Route.isId(parts[0]), let call = Call(rawValue: String(Substring(parts[1]))) else {
                return nil
            }
            self = .registration(String(Substring(parts[0])), call)
        }
    }

    private static let registrations: Substring = "/mam/v1/registrations"

    private static func isId(_ text: Substring.UTF8View) -> Bool {
        (1...64).contains(text.count)
            && text.allSatisfy {
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
