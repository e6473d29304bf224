import CProcess

extension String {
    /// Decodes a C string; repairs invalid UTF-8. `String(cString:)` does the same, but maps 64 KiB of the standard library
    /// that opening a session needs for nothing else.
    public init(repairing text: UnsafePointer<CChar>) {
        let bytes = UnsafeRawBufferPointer(start: text, count: process_text_length(text, .max))
        self = String(decoding: bytes, as: UTF8.self)
    }
}
