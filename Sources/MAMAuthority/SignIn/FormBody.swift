import MAMSupport

/// A member of a form.
struct FormMember {
    let name: String
    let value: Value?

    enum Value {
        case text(String)
        case secret(SecretBytes)
    }

    /// A member, left out of the form without a value.
    static func text(_ name: String, _ value: String?) -> FormMember {
        FormMember(name: name, value: value.map { .text($0) })
    }

    /// A member whose value is in secret memory.
    static func secret(_ name: String, _ value: SecretBytes) -> FormMember {
        FormMember(name: name, value: .secret(value))
    }

    fileprivate func encode(_ body: (UInt8) -> Void) {
        guard let value else { return }
        for byte in name.utf8 { FormBody.encode(byte, body) }
        body(UInt8(ascii: "="))
        switch value {
        case .text(let text): for byte in text.utf8 { FormBody.encode(byte, body) }
        case .secret(let secret): secret.withUnsafeBytes { for byte in $0 { FormBody.encode(byte, body) } }
        }
    }
}

/// A body or query of type application/x-www-form-urlencoded.
enum FormBody {
    /// Encode members into secret memory.
    static func bytes(_ members: [FormMember]) throws(MAMError) -> SecretBytes {
        var count = 0
        encode(members) { _ in count += 1 }
        return try SecretBytes(count: count) { memory in
            var at = 0
            encode(members) { byte in
                memory[at] = byte
                at += 1
            }
        }
    }

    /// Encode members of a query, none of which is secret.
    static func query(_ members: [FormMember]) -> String {
        var bytes: [UInt8] = []
        encode(members) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encode(_ members: [FormMember], _ body: (UInt8) -> Void) {
        var isFirst = true
        for member in members where member.value != nil {
            if !isFirst { body(UInt8(ascii: "&")) }
            isFirst = false
            member.encode(body)
        }
    }

    fileprivate static func encode(_ byte: UInt8, _ body: (UInt8) -> Void) {
        if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) { return body(byte) }
        body(UInt8(ascii: "%"))
        body(digit(byte >> 4))
        body(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Read a query; nil where it is malformed or names a member twice. Values are in secret memory, since one may be a code.
    static func read(_ query: Slice<UnsafeRawBufferPointer>) throws(MAMError) -> [String: SecretBytes]? {
        var members: [String: SecretBytes] = [:]
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = try decoded(pair[..<mark]), let value = try decoded(pair[mark...].dropFirst()),
                let text = name.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }),
                members.updateValue(value, forKey: text) == nil
            else { return nil }
        }
        return members
    }

    private static func decoded(_ text: Slice<UnsafeRawBufferPointer>) throws(MAMError) -> SecretBytes? {
        guard let count = decode(text, { _ in }) else { return nil }
        return try SecretBytes(count: count) { memory in
            var at = 0
            _ = decode(text) { byte in
                memory[at] = byte
                at += 1
            }
        }
    }

    /// The number of bytes that a text stands for; nil for a malformed one.
    private static func decode(_ text: Slice<UnsafeRawBufferPointer>, _ body: (UInt8) -> Void) -> Int? {
        var (rest, count) = (text, 0)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): body(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(\.hexadecimalValue),
                    let low = rest.popFirst().flatMap(\.hexadecimalValue)
                else { return nil }
                body(high << 4 | low)
            default: body(byte)
            }
            count += 1
        }
        return count
    }
}
