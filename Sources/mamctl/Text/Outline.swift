import MAMValues

extension Text {
    /// An object as lines: members that fit on a line first, then the others under their names.
    static func outline(_ object: JSON) -> [String] {
        let plain = object.members.filter { isPlain($0.value) }
        var lines = fields(plain.map { (words($0.key), value($0.value)) })
        for member in object.members where !isPlain(member.value) {
            if !lines.isEmpty { lines.append("") }
            lines.append("\(words(member.key)):")
            lines += body(of: member.value).map { $0.isEmpty ? $0 : "  \($0)" }
        }
        return lines
    }

    private static func body(of value: JSON) -> [String] {
        guard case .array(let elements) = value else { return outline(value) }
        let keys = elements.reduce(into: [String]()) { keys, element in
            keys += element.members.map { $0.key }.filter { !keys.contains($0) }
        }
        return keys.isEmpty ? elements.map(Text.value) : Table(elements, keys: keys).lines
    }

    /// Whether a value fits on one line: a scalar, an empty object, or a short list of scalars.
    private static func isPlain(_ value: JSON) -> Bool {
        switch value {
        case .object(let members): members.isEmpty
        case .array(let elements): elements.count < 8 && elements.allSatisfy(\.isScalar)
        default: true
        }
    }
}
