import MAMValues

/// Writes new values as XML. Without a newline all is on one line.
struct XMLPropertyListWriter {
    let newline: [UInt8]
    let unit: [UInt8]

    /// A value as it stands in an array, or with its key in a dictionary. The first line is indented already.
    func item(_ value: PropertyList, key: String?, indentation: [UInt8]) -> [UInt8] {
        let value = self.value(value, indentation: indentation)
        return key.map { element("key", $0) + newline + indentation + value } ?? value
    }

    func value(_ value: PropertyList, indentation: [UInt8]) -> [UInt8] {
        switch value.kind {
        case .boolean(let value): return Array("<\(value)/>".utf8)
        case .integer(let number): return element("integer", "\(number)")
        case .real(let number): return element("real", "\(number)")
        case .string(let text): return element("string", text)
        case .array(let elements):
            return container("array", elements.map { (key: nil, value: $0) }, indentation)
        case .dictionary(let members):
            return container("dict", members.map { (key: $0.key, value: $0.value) }, indentation)
        // They are read, never made.
        case .date, .data, .uid: return []
        }
    }

    private func container(
        _ name: String, _ items: [(key: String?, value: PropertyList)], _ indentation: [UInt8]
    ) -> [UInt8] {
        guard !items.isEmpty else { return Array("<\(name)/>".utf8) }
        let inner = newline.isEmpty ? [] : indentation + unit
        let lines = items.map { newline + inner + item($0.value, key: $0.key, indentation: inner) }
        return Array("<\(name)>".utf8) + lines.joined() + newline + (newline.isEmpty ? [] : indentation)
            + Array("</\(name)>".utf8)
    }

    private func element(_ name: String, _ text: String) -> [UInt8] {
        var out = Array("<\(name)>".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): out += "&amp;".utf8
            case UInt8(ascii: "<"): out += "&lt;".utf8
            case UInt8(ascii: ">"): out += "&gt;".utf8
            default: out.append(byte)
            }
        }
        return out + Array("</\(name)>".utf8)
    }
}
