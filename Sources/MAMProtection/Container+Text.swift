extension Container {
    /// Whether a text begins like the base64 of a container: "TUFNA" and a digit from Q to f.
    ///
    /// If such a text is not canonical base64, it is a damaged container rather than ordinary text.
    public static func isText(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 6, text.prefix(5).elementsEqual("TUFNA".utf8) else { return false }
        return switch text[5] {
        case UInt8(ascii: "Q")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
