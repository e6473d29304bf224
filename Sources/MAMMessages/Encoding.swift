import MAMProtection
import MAMSupport

/// Base64 with padding, as in HTTP fields.
public func base64(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.withUnsafeBytes { Base64.encode($0) } ?? [], as: UTF8.self)
}

/// Base64url without padding, as in JSON and parameters.
public func base64url(_ bytes: [UInt8]) -> String {
    let text = base64(bytes).utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
        byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
    }
    return String(decoding: text, as: UTF8.self)
}

/// The bytes of canonical base64url without padding; nil for any other text.
public func bytes(base64url text: String) -> [UInt8]? {
    guard !text.utf8.contains(where: { [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains($0) }) else {
        return nil
    }
    var digits = text.utf8.map { byte in
        byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
    }
    while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
    return digits.withUnsafeBytes { try? Base64.decode($0) }
}

/// The field Content-Digest of a body, RFC 9530.
public func contentDigest(of body: [UInt8]) -> String { "sha-256=:\(base64(sha256(body))):" }
