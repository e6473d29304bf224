import MAMSupport

/// Reads an object of known keys. Its errors name the key that is missing, unknown or of the wrong type.
struct ObjectReader {
    private let path: String
    private var rest: [(key: String, value: JSON)]

    init(_ json: JSON, _ path: String) throws(MAMError) {
        guard let members = json.object else {
            let name = path.isEmpty ? "settings_json" : path
            throw MAMError(
                .json, "\(name) is a JSON \(json.typeName); it must be an object", [("setting", .string(name))])
        }
        self.path = path
        self.rest = members
    }

    /// The value of a key, which then counts as read.
    mutating func take(_ key: String) -> JSON? {
        guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
        return rest.remove(at: index).value
    }

    mutating func string(_ key: String) throws(MAMError) -> String? { try typed(key, "string") { $0.string } }
    mutating func bool(_ key: String) throws(MAMError) -> Bool? { try typed(key, "boolean") { $0.bool } }
    mutating func object(_ key: String) throws(MAMError) -> JSON? {
        try typed(key, "object") { $0.object == nil ? nil : $0 }
    }

    /// An array of strings.
    mutating func strings(_ key: String) throws(MAMError) -> [String]? {
        try typed(key, "array of strings") { json in
            json.array.flatMap { array in
                let strings = array.compactMap(\.string)
                return strings.count == array.count ? strings : nil
            }
        }
    }

    /// A required string.
    mutating func requiredString(_ key: String) throws(MAMError) -> String {
        guard let value = try string(key) else { throw error(key, "is missing") }
        return value
    }

    /// A string that must be one of `words`.
    mutating func choice(_ key: String, of words: [String]) throws(MAMError) -> String? {
        guard let word = try string(key) else { return nil }
        guard words.contains(word) else {
            throw MAMError(
                .argument, "\(name(key)) is \"\(word)\"; it must be one of \(words.joined(separator: ", "))",
                [("setting", .string(name(key)))])
        }
        return word
    }

    /// Fail if a key was not read.
    func end() throws(MAMError) {
        if let unknown = rest.first { throw error(unknown.key, "is not a key that libmam knows") }
    }

    func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.json, "\(name(key)) \(what)", [("setting", .string(name(key)))])
    }

    private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private mutating func typed<T>(_ key: String, _ type: String, _ read: (JSON) -> T?) throws(MAMError) -> T? {
        guard let json = take(key) else { return nil }
        guard let value = read(json) else {
            let article = type.utf8.first.map("oa".utf8.contains) ?? false ? "an" : "a"
            throw error(key, "is a JSON \(json.typeName); it must be \(article) \(type)")
        }
        return value
    }
}
