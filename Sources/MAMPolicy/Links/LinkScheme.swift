import MAMSupport

/// URL schemes, compared in lower case.
enum LinkScheme {
    /// The maximum length of a scheme: no registered scheme is longer, and messages stay short.
    static let maximumLength = 255
    /// The suffix of the managed counterpart of an app's scheme.
    static let managedSuffix = "-intunemam"

    private static let telephone = ["tel", "telprompt"]
    private static let message = ["sms", "smsto", "mms", "mmsto"]

    /// Families of schemes with their own settings; every other scheme follows the outbound level.
    enum Family: Sendable {
        case web(isSecure: Bool)
        case telephone, message, other
    }

    static func family(_ scheme: String) -> Family {
        switch scheme {
        case "http": .web(isSecure: false)
        case "https": .web(isSecure: true)
        case _ where telephone.contains(scheme): .telephone
        case _ where message.contains(scheme): .message
        default: .other
        }
    }

    /// Returns whether the scheme's name marks it as a managed app's.
    static func isManaged(_ scheme: String) -> Bool {
        scheme.utf8.count > managedSuffix.utf8.count && scheme.hasSuffix(managedSuffix)
    }

    /// Parses a scheme as administrators write it ("zoommtg", "skype:", "fx://"). Returns it in lower case; nil if it is
    /// invalid.
    static func read(_ text: some StringProtocol) -> String? {
        var bytes = Array(text.utf8)[...]
        while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        for end in ["://", ":"]
        where bytes.count > end.utf8.count && bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
            bytes.removeLast(end.utf8.count)
            break
        }
        return scheme(bytes)
    }

    /// Parses the scheme of an app that links are redirected to. Returns nil for a scheme of a family, which would be
    /// redirected again.
    static func destination(_ text: String) -> String? {
        guard let scheme = read(text), case .other = family(scheme) else { return nil }
        return scheme
    }

    /// Returns the schemes of a list for which an exemption from the outbound level has an effect. Web, telephone and message
    /// links follow their own settings, and a managed app's scheme needs no exemption.
    static func exemptible(_ list: JSON) -> [String] {
        (list.array ?? []).compactMap(\.string).filter { scheme in
            if case .other = family(scheme) { !isManaged(scheme) } else { false }
        }
    }

    /// RFC 3986, section 3.1.
    static func scheme(_ bytes: some Collection<UInt8>) -> String? {
        guard let first = bytes.first, first.isASCIILetter, bytes.count <= maximumLength,
            bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return String(decoding: bytes.map(folded), as: UTF8.self)
    }

    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }
}
