import MAMSupport

extension Device {
    /// The ID and VERSION_ID of os-release.
    public func operatingSystem() -> (distribution: Reading, version: Reading) {
        var source = "/etc/os-release"
        var contents = read(source, limit: 65536)
        if case .missing = contents {
            source = "/usr/lib/os-release"
            contents = read(source, limit: 65536)
        }
        guard let text = contents.text else {
            let reading = Reading(.unknown, source, contents.problem ?? "it is not text")
            return (reading, reading)
        }
        let fields = OSRelease(text)
        func reading(_ key: String) -> Reading {
            guard let value = fields[key] else { return Reading(.unknown, source, "it has no \(key)") }
            guard OSRelease.isIdentifier(value) else { return Reading(.unknown, source, "its \(key) makes no sense") }
            return Reading(.ok, source, "\(key) is \(value)", value: value)
        }
        return (reading("ID"), reading("VERSION_ID"))
    }
}

/// The assignments of an os-release file, with the quoting rules of os-release(5).
struct OSRelease {
    private var fields: [String: String] = [:]

    init(_ text: String) {
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = String(Substring(line)).trimmingWhiteSpace
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), line.utf8.first != UInt8(ascii: "#") else {
                continue
            }
            // The last assignment counts, and a malformed one removes the key.
            let value = OSRelease.unquoted(line.utf8[line.utf8.index(after: equals)...])
            fields[String(Substring(line.utf8[..<equals]))] = value
        }
    }

    subscript(key: String) -> String? { fields[key] }

    /// The characters that ID and VERSION_ID may have.
    static func isIdentifier(_ value: String) -> Bool {
        (1...64).contains(value.utf8.count)
            && value.utf8.allSatisfy { byte in
                byte.isASCIILetter || byte.isASCIIDigit
                    || [0x2B, 0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            }
    }

    private static func unquoted(_ value: Substring.UTF8View) -> String? {
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return String(Substring(value))
        }
        guard value.count >= 2, value.last == quote else { return nil }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in value.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                isEscaped = true
                continue
            }
            guard isEscaped || byte != quote else { return nil }
            isEscaped = false
            bytes.append(byte)
        }
        return isEscaped ? nil : String(validating: bytes, as: UTF8.self)
    }
}
