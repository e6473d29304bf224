import MAMProtection
import MAMSupport

/// The fields Signature-Input and Signature, RFC 9421, with one signature under the protocol's label.
enum SignatureFields {
    static let label = "mam="
    private static let longest = 1024

    /// The value of the only member, whose label has to be the protocol's.
    static func member(_ field: String) -> String? {
        guard field.utf8.starts(with: label.utf8), field.utf8.count <= longest else { return nil }
        return String(Substring(field.utf8.dropFirst(label.utf8.count)))
    }

    /// The 64 bytes of ":base64:".
    static func signature(_ member: String) -> [UInt8]? {
        let text = Array(member.utf8)
        guard text.count >= 2, text.first == UInt8(ascii: ":"), text.last == UInt8(ascii: ":"),
            let bytes = text.dropFirst().dropLast().withUnsafeBytes({ try? Base64.decode($0) }), bytes.count == 64
        else { return nil }
        return bytes
    }

    typealias Line = (component: String, value: String)

    /// The signed text: components and their values, a line each.
    static func base(_ lines: [Line]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.reduce(0) { $0 + $1.component.utf8.count + $1.value.utf8.count + 3 })
        for (index, line) in lines.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            bytes.append(contentsOf: line.component.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: line.value.utf8)
        }
        return bytes
    }
}

/// The member of Signature-Input, read from its start: components and parameters in the one accepted form. It is read by bytes: whatever
/// counts in it is ASCII, and finding the borders of characters took as long as reading it.
struct SignatureInputReader {
    private var rest: Substring.UTF8View

    init(_ input: String) { rest = input[...].utf8 }

    init(_ input: Substring) { rest = input.utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skip a text, if it comes next.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// A parameter of digits: seconds since 1970.
    mutating func seconds(_ name: String) -> Int64? {
        guard skip(";\(name)=") else { return nil }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return (1...15).contains(digits.count) ? Int64(Substring(digits)) : nil
    }

    /// A parameter of quoted text of at most 64 visible characters.
    mutating func text(_ name: String) -> String? {
        guard skip(";\(name)=\"") else { return nil }
        let value = rest.prefix { $0 != UInt8(ascii: "\"") }
        rest = rest.dropFirst(value.count)
        let isPlain = value.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        return skip("\"") && isPlain && (1...64).contains(value.count) ? String(Substring(value)) : nil
    }
}
