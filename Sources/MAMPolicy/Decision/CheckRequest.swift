import MAMSupport

/// A parsed request of `mam_policy_check`.
public struct CheckRequest: Sendable {
    /// The action that a request asks about.
    public enum Action: Sendable {
        /// A predicate of one account.
        case predicate(Predicate)
        /// Saving to a location.
        case saveTo(SaveLocation)
        /// Opening from a location.
        case openFrom(OpenLocation)
        /// Receiving data.
        case receive
        /// Opening a URL.
        case url(Link, isKnownManaged: Bool)
        /// Opening a web link in an app other than a browser.
        case universalLink(Link)
        /// Copying this many characters to the peer, or pasting this many of the peer's.
        case copy(Int)
        case paste(Int)

        /// A number that identifies the action in a cache; nil for actions with arbitrary arguments.
        public var number: UInt16? {
            switch self {
            case .url, .universalLink, .copy, .paste: nil
            case .receive: 0
            case .predicate(let predicate): 0x100 | UInt16(truncatingIfNeeded: predicate.rawValue)
            case .saveTo(let location): 0x1000 | UInt16(truncatingIfNeeded: location.rawValue)
            case .openFrom(let location): 0x2000 | UInt16(truncatingIfNeeded: location.rawValue)
            }
        }

        /// Whether the reply is `"required"` instead of `"allowed"`.
        public var isRequirement: Bool {
            if case .predicate(let predicate) = self { predicate.isRequirement } else { false }
        }
    }

    /// The action.
    public let action: Action
    /// The account that the policy is of; nil for NULL.
    public let account: String?
    /// The account on the other side; nil for NULL.
    public let other: String?

    /// Parses a request.
    public init(_ json: JSON) throws(MAMError) { try self.init(json, namesAccount: true) }

    /// Parses a request that is evaluated for several accounts in turn, and so names none itself.
    public init(forEachAccount json: JSON) throws(MAMError) { try self.init(json, namesAccount: false) }

    private init(_ json: JSON, namesAccount: Bool) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "request is a JSON \(json.typeName); it must be an object")
        }
        var name: String?
        var account: String??
        var location: String?
        var mode: String?
        var other: (key: String, name: String?)?
        var url: String?
        var isKnownManaged: Bool?
        var length: Int?
        for (key, value) in members {
            switch key {
            case "action": name = try CheckRequest.text(value, key)
            case "account": account = .some(try CheckRequest.name(value, key))
            case "location": location = try CheckRequest.text(value, key)
            case "mode": mode = try CheckRequest.text(value, key)
            case "url": url = try CheckRequest.text(value, key)
            case "knownManagedScheme":
                guard let flag = value.bool else {
                    throw CheckRequest.error(key, "is a JSON \(value.typeName); it must be true or false")
                }
                isKnownManaged = flag
            case "length": length = try CheckRequest.count(value, key)
            case "locationAccount", "sender", "receiver":
                guard other == nil else { throw CheckRequest.error(key, "does not go with the other account in it") }
                other = (key, try CheckRequest.name(value, key))
            default: throw CheckRequest.error(key, "is not a key that libmam knows")
            }
        }
        guard let name else { throw CheckRequest.error("action", "is missing") }
        if namesAccount {
            guard account != nil else {
                throw CheckRequest.error("account", "is missing; null and \"\" are values too")
            }
        } else if account != nil {
            throw CheckRequest.error("account", "does not go here: every user is asked about in turn")
        }
        self.account = account ?? nil
        self.other = other?.name
        action = try CheckRequest.action(
            name, location: location, mode: mode, url: url, isKnownManaged: isKnownManaged == true, length: length,
            isPaste: other?.key == "sender")
        try CheckRequest.refuse(location != nil, "location", unless: name == "saveTo" || name == "openFrom", name)
        try CheckRequest.refuse(mode != nil, "mode", unless: name == "documentPicker", name)
        try CheckRequest.refuse(url != nil, "url", unless: name == "url" || name == "universalLink", name)
        try CheckRequest.refuse(isKnownManaged != nil, "knownManagedScheme", unless: name == "url", name)
        try CheckRequest.refuse(length != nil, "length", unless: name == "clipboard", name)
        if let other {
            try CheckRequest.refuse(true, other.key, unless: CheckRequest.others(name).contains(other.key), name)
        }
    }

    /// The keys that name the account on the other side.
    private static func others(_ action: String) -> [String] {
        switch action {
        case "saveTo", "openFrom": ["locationAccount"]
        case "receive": ["sender"]
        case "clipboard": ["receiver", "sender"]
        default: []
        }
    }

    private static func action(
        _ name: String, location: String?, mode: String?, url: String?, isKnownManaged: Bool, length: Int?,
        isPaste: Bool
    ) throws(MAMError) -> Action {
        switch name {
        case "url": return .url(try link(url), isKnownManaged: isKnownManaged)
        case "universalLink": return .universalLink(try link(url))
        case "saveTo":
            let others = OpenLocation.allCases.map(\.name)
            return .saveTo(try find(location, "location", SaveLocation.allCases, not: others, "openFrom") { $0.name })
        case "openFrom":
            let others = SaveLocation.allCases.map(\.name)
            return .openFrom(try find(location, "location", OpenLocation.allCases, not: others, "saveTo") { $0.name })
        case "receive": return .receive
        case "clipboard":
            guard let length else { throw error("length", "is missing") }
            return isPaste ? .paste(length) : .copy(length)
        case "documentPicker": return .predicate(try find(mode, "mode", PickerMode.allCases) { $0.name }.predicate)
        default:
            guard let predicate = Predicate.allCases.first(where: { $0.action == name }) else {
                throw .argument("request.action", "\"\(name)\" is no action that libmam decides; mam.h lists them")
            }
            return .predicate(predicate)
        }
    }

    private static func link(_ url: String?) throws(MAMError) -> Link {
        guard let url else { throw error("url", "is missing") }
        guard url.utf8.count <= Link.maximumLength else {
            throw .argument("request.url", "is longer than \(Link.maximumLength) bytes")
        }
        return Link(url)
    }

    /// Returns the value with a name; `others` are names that `action` takes.
    private static func find<T>(
        _ text: String?, _ key: String, _ all: [T], not others: [String] = [], _ action: String = "",
        _ name: (T) -> String
    ) throws(MAMError) -> T {
        guard let text else { throw error(key, "is missing") }
        guard let found = all.first(where: { name($0) == text }) else {
            let what = others.contains(text) ? "is for \(action), and none of" : "is none of"
            throw .argument("request.\(key)", "\"\(text)\" \(what) \(all.map(name).joined(separator: ", "))")
        }
        return found
    }

    private static func refuse(_ isGiven: Bool, _ key: String, unless isWanted: Bool, _ action: String) throws(MAMError)
    {
        guard isGiven, !isWanted else { return }
        throw error(key, "does not go with \(action)")
    }

    private static func text(_ json: JSON, _ key: String) throws(MAMError) -> String {
        guard let text = json.string else { throw error(key, "is a JSON \(json.typeName); it must be a string") }
        return text
    }

    private static func count(_ json: JSON, _ key: String) throws(MAMError) -> Int {
        guard let number = json.integer, number >= 0 else {
            throw error(key, "is no whole number of characters, 0 or more")
        }
        return Int(clamping: number)
    }

    private static func name(_ json: JSON, _ key: String) throws(MAMError) -> String? {
        if json.isNull { return nil }
        guard let text = json.string else {
            throw error(key, "is a JSON \(json.typeName); it must be a string or null")
        }
        return text
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.json, "request.\(key) \(what)", [("setting", .string("request.\(key)"))])
    }
}
