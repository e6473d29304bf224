/// A URL, parsed as far as decisions need it. Nothing is decoded, repaired or guessed: a URL that programs could parse
/// differently is malformed, or matches no list. The host is judged in ``WebOrigin/isHostPlain``; the lists match it in
/// ``LinkList``.
public struct Link: Sendable {
    /// The maximum length of a URL in bytes: `MAM_URL_MAX` of mam.h.
    public static let maximumLength = 1 << 20

    /// The family of the link's scheme.
    enum Kind: Sendable {
        case web(WebOrigin)
        case telephone, message, other
        case malformed(LinkError)
    }

    let bytes: [UInt8]
    /// The scheme in lower case; "" for a malformed link.
    let scheme: String
    let kind: Kind

    /// Parses a URL.
    public init(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Parses a URL in UTF-8.
    public init(utf8 bytes: [UInt8]) {
        self.bytes = bytes
        do throws(LinkError) {
            let scheme = try Link.scheme(bytes)
            kind = try Link.kind(bytes, scheme)
            self.scheme = scheme
        } catch {
            scheme = ""
            kind = .malformed(error)
        }
    }

    private static func scheme(_ bytes: [UInt8]) throws(LinkError) -> String {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= maximumLength else { throw .tooLong }
        guard !hasBadCharacter(bytes) else { throw .badCharacter }
        guard let colon = bytes.prefix(LinkScheme.maximumLength + 1).firstIndex(of: UInt8(ascii: ":")),
            let scheme = LinkScheme.scheme(bytes[..<colon])
        else { throw .noScheme }
        return scheme
    }

    private static func kind(_ bytes: [UInt8], _ scheme: String) throws(LinkError) -> Kind {
        switch LinkScheme.family(scheme) {
        case .web(let isSecure):
            .web(try WebOrigin(bytes, from: scheme.utf8.count + 1, isSecure: isSecure))
        case .telephone: .telephone
        case .message: .message
        case .other: .other
        }
    }

    /// The loop has no early exit, so that it can be vectorised.
    private static func hasBadCharacter(_ bytes: [UInt8]) -> Bool {
        var bad: UInt8 = 0
        for byte in bytes {
            bad |= (byte <= 0x20 ? 1 : 0) | (byte == 0x7F ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return bad != 0
    }
}
