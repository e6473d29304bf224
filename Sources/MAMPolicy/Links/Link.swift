/// A URL, taken apart as far as decisions need it. Nothing is decoded, repaired or guessed: what programs could read
/// differently is flawed, or is on no list.
public struct Link: Sendable {
    /// Longest URL that is looked at, in bytes; `MAM_URL_MAX` of mam.h.
    public static let maximumLength = 1 << 20

    /// What it opens.
    enum Kind: Sendable {
        case web(Site)
        case telephone, message, other
        case flawed(LinkFlaw)
    }

    let bytes: [UInt8]
    /// In lower case; "" where it is flawed.
    let scheme: String
    let kind: Kind

    /// Read a URL.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        do throws(LinkFlaw) {
            let scheme = try Link.scheme(bytes)
            kind = try Link.kind(bytes, scheme)
            self.scheme = scheme
        } catch {
            scheme = ""
            kind = .flawed(error)
        }
    }

    private static func scheme(_ bytes: [UInt8]) throws(LinkFlaw) -> String {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= maximumLength else { throw .tooLong }
        guard !hasBadCharacter(bytes) else { throw .badCharacter }
        guard let colon = bytes.prefix(LinkScheme.maximumLength + 1).firstIndex(of: UInt8(ascii: ":")),
            let scheme = LinkScheme.scheme(bytes[..<colon])
        else { throw .noScheme }
        return scheme
    }

    private static func kind(_ bytes: [UInt8], _ scheme: String) throws(LinkFlaw) -> Kind {
        switch LinkScheme.family(scheme) {
        case .web(let isSecure):
            .web(try Site(bytes, from: scheme.utf8.count + 1, isSecure: isSecure))
        case .telephone: .telephone
        case .message: .message
        case .other: .other
        }
    }

    /// Without a way out in the loop, so that it takes many bytes at once.
    private static func hasBadCharacter(_ bytes: [UInt8]) -> Bool {
        var bad: UInt8 = 0
        for byte in bytes {
            bad |= (byte <= 0x20 ? 1 : 0) | (byte == 0x7F ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return bad != 0
    }
}
