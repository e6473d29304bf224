import MAMValues

/// Handlers of URL schemes on a Linux desktop: media types such as `x-scheme-handler/notes`.
enum SchemeHandler {
    private static let prefix = "x-scheme-handler/"

    /// The handler of a scheme's counterpart; nil for another media type, and for what is or needs no counterpart.
    static func counterpart(of type: String) -> String? {
        guard isHandler(type) else { return nil }
        let scheme = String(decoding: type.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        guard scheme.utf8.allSatisfy(isInScheme) else { return nil }
        return SchemeSet.counterpart(of: scheme).map { prefix + $0 }
    }

    /// RFC 3986, section 3.1.
    private static func isInScheme(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
    }

    static func isHandler(_ type: String) -> Bool { folded(type).hasPrefix(prefix) }

    /// Media types are compared without regard to the case of ASCII letters.
    static func folded(_ type: String) -> String { SchemeSet.folded(type) }
}
