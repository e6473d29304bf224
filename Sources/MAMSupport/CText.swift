import CPlatform

extension String {
    /// The text that C ends with a zero; what is no UTF-8 in it is repaired. (`String(cString:)` does the same, and brings 64 KiB
    /// of the standard library into memory of which nothing else runs when a session opens.)
    public init(nulTerminated text: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: text, count: platform_text_length(text, .max))
        self = String(decoding: bytes, as: UTF8.self)
    }
}
