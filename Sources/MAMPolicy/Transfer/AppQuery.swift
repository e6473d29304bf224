import MAMSupport

/// The name by which a host asks about another program: `app_json` of `mam_managed_app`, or a target of
/// `mam_policy_filter_share_targets`.
public struct AppQuery: Sendable {
    /// A name of a program.
    public enum Name: Sendable {
        case app(String)
        /// An absolute path.
        case executable(String)
        case process(Int32)
        /// A URL scheme, in lower case.
        case scheme(String)
    }

    /// The maximum length of an id or path, in bytes.
    private static let maximumNameLength = 4095

    /// The name of the program.
    public let name: Name
    /// The account that is to receive the shared data; nil if the target chooses.
    public let identity: Identity?
    /// The query as the host wrote it.
    public let json: JSON

    /// Parses `app_json`.
    public init(program json: JSON) throws(MAMError) {
        try self.init(json, "app_json", keys: ["appId", "executable", "pid"])
    }

    /// Parses one element of `targets_json`.
    public init(target json: JSON, index: Int) throws(MAMError) {
        try self.init(json, "targets_json[\(index)]", keys: ["appId", "executable", "scheme", "identity"])
    }

    private init(_ json: JSON, _ argument: String, keys: [String]) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "\(argument) is a JSON \(json.typeName); it must be an object")
        }
        func error(_ key: String, _ what: String) -> MAMError {
            MAMError(.json, "\(argument).\(key) \(what)", [("setting", .string("\(argument).\(key)"))])
        }
        var name: Name?
        var identity: Identity?
        for (key, value) in members {
            guard keys.contains(key) else { throw error(key, "is not a key that libmam knows") }
            if key == "identity" {
                if value.isNull || value == "" { continue }
                guard let text = value.string else { throw error(key, "must be a string or null") }
                identity = try Identity(account: text, argument: "\(argument).identity")
                continue
            }
            guard name == nil else { throw error(key, "is one name too many: one of appId, executable and the like") }
            name = try AppQuery.name(key, value, error)
        }
        guard let name else { throw error(keys[0], "is missing, and so is every other name") }
        self.name = name
        self.identity = identity
        self.json = json
    }

    private static func name(
        _ key: String, _ value: JSON, _ error: (String, String) -> MAMError
    ) throws(MAMError) -> Name {
        if key == "pid" {
            guard let number = value.integer, let pid = Int32(exactly: number), pid > 0 else {
                throw error(key, "is no process id")
            }
            return .process(pid)
        }
        guard let text = value.string else { throw error(key, "must be a string") }
        guard !text.isEmpty, text.utf8.count <= maximumNameLength, !text.utf8.contains(0) else {
            throw error(key, "must have 1 to \(maximumNameLength) bytes and no NUL")
        }
        switch key {
        case "appId": return .app(text)
        case "executable":
            guard text.utf8.first == UInt8(ascii: "/") else { throw error(key, "is no absolute path") }
            return .executable(text)
        default:
            guard let scheme = LinkScheme.read(text) else { throw error(key, "is no scheme") }
            return .scheme(scheme)
        }
    }
}
