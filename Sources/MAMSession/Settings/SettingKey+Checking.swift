import MAMSupport

extension SettingKey {
    /// Refuse a value of another type or out of range. `got` describes the actual type, `place` the file that contains the value.
    func check(_ value: JSON, got: String? = nil, in place: String = "") throws(MAMError) {
        guard hasType(value) else {
            let got = got ?? "a JSON \(value.typeName)"
            let sign = kind == .number && value.typeName == "number" ? ", and negative" : ""
            throw error("is \(got)\(sign); it must be \(kind.words)", place)
        }
        switch range {
        case .any: break
        case .one(let words):
            guard value.string.map(words.contains) == true else {
                throw error("must be one of \(words.joined(separator: ", "))", place)
            }
        case .colour:
            guard value.string.map(SettingKey.isColour) == true else {
                throw error("must be a colour like #1A2B3C, or empty", place)
            }
        case .innerPath:
            guard value.string.map(SettingKey.isInnerPath) == true else {
                throw error("must be a path inside the app's folder, without \"..\", of at most 1024 bytes", place)
            }
        }
    }

    /// A value of a property list.
    func check(_ value: PropertyList, in place: String) throws(MAMError) -> JSON {
        let json = value.json ?? .null
        try check(json, got: "of the type \(value.typeName)", in: place)
        return json
    }

    private func error(_ what: String, _ place: String) -> MAMError {
        let prefix = place.isEmpty ? "" : "\(place): "
        return MAMError(.json, "\(prefix)\(name) \(what)", [("setting", .string(name))])
    }

    private func hasType(_ value: JSON) -> Bool {
        switch kind {
        case .boolean: return value.bool != nil
        case .string: return value.string != nil
        case .strings: return value.array?.allSatisfy { $0.string != nil } == true
        case .number:
            switch value {
            case .integer(let number): return number >= 0
            case .decimal(let text): return Double(text).map { $0 >= 0 } == true
            default: return false
            }
        }
    }

    /// Whether a value states nothing: an empty colour stands for the next source, at last the default.
    func isAbsent(_ value: JSON) -> Bool {
        guard case .colour = range else { return false }
        return value.string?.isEmpty == true
    }

    private static func isColour(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "#") ? text.dropFirst() : text[...]
        return text.isEmpty || digits.utf8.count == 6 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static func isInnerPath(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"))
        return text.utf8.count <= 1024 && !parts.contains { $0.elementsEqual("..".utf8) }
    }
}

extension SettingKey.Kind {
    /// The required type, for messages about JSON and property lists alike.
    fileprivate var words: String {
        switch self {
        case .boolean: "a boolean (true or false; in a property list <true/> or <false/>)"
        case .string: "a string"
        case .strings: "an array of strings"
        case .number: "a number that is not negative"
        }
    }
}
