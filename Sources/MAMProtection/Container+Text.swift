extension Container {
    /// Whether a text begins as the base64 of a container does: "TUFNA" and a sixth digit of Q to f.
    ///
    /// Whoever finds such a text not to be canonical base64 has a damaged container in hand, not somebody's text.
    public static func isText(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 6, text.prefix(5).elementsEqual("TUFNA".utf8) else { return false }
        return switch text[5] {
        case UInt8(ascii: "Q")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
