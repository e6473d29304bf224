import MAMValues

/// Values of an expected type. Absent is nil; another type is an error that names the key, the types and the line.
extension PropertyListDocument {
    func strings(at path: Path) throws(ConfiguratorError) -> [String]? {
        guard let elements = try array(at: path) else { return nil }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.string else { throw wrongType(element, at: path + [.index(index)], "string") }
            strings.append(text)
        }
        return strings
    }

    func array(at path: Path) throws(ConfiguratorError) -> [PropertyList]? {
        guard let value = value(at: path) else { return nil }
        guard let elements = value.array else { throw wrongType(value, at: path, "array") }
        return elements
    }

    func dictionary(at path: Path) throws(ConfiguratorError) -> [PropertyList.Member]? {
        guard let value = value(at: path) else { return nil }
        guard let members = value.dictionary else { throw wrongType(value, at: path, "dictionary") }
        return members
    }

    func wrongType(_ value: PropertyList, at path: Path, _ wanted: String) -> ConfiguratorError {
        ConfiguratorError(
            "has \(PropertyListDocument.words(path)) of the type \(value.typeName); it must be of the type \(wanted)",
            line: line(of: value))
    }

    /// A path as in "CFBundleURLTypes[0].CFBundleURLSchemes".
    static func words(_ path: Path) -> String {
        var words = ""
        for step in path {
            switch step {
            case .key(let key): words += (words.isEmpty ? "" : ".") + key.prefix(80)
            case .index(let index): words += "[\(index)]"
            }
        }
        return words
    }
}
