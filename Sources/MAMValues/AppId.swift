/// App ids.
public enum AppId {
    /// Returns whether a text is a valid app id: 1 to 128 characters of A-Z a-z 0-9 . _ - that begin with a letter or digit.
    public static func isValid(_ text: String) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit }
        guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= 128 else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
    }
}
