import CProcess
import MAMProtection
import MAMSupport

/// Passes to `body` the container that `text` encodes in base64, or nil where it encodes none.
public func withContainer<Result>(
    of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) throws(MAMError) -> Result
) throws(MAMError) -> Result {
    guard Container.isText(text) else { return try body(nil) }
    return try withZeroedMemory(Base64.decodedLength(text)) { (decoded) throws(MAMError) in
        do throws(Base64.Failure) { try Base64.decode(text, into: decoded) } catch {
            if case .notBase64 = error { return try body(nil) }
            throw MAMError(
                .damaged, "protected_text is base64 of a container, but not in its one canonical form",
                [OriginalCode.failedToDecrypt.detail])
        }
        let container = UnsafeRawBufferPointer(decoded)
        return try body(Container.isContainer(container) ? container : nil)
    }
}

/// Allocates memory for `body` and zeroes it before it is freed.
func withZeroedMemory<Result>(
    _ size: Int, _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Result
) throws(MAMError) -> Result {
    guard let memory = process_result_alloc(size) else { throw .noMemory(size) }
    defer { process_result_free(memory) }
    return try body(UnsafeMutableRawBufferPointer(start: memory, count: size))
}
