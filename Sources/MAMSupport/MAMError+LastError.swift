import CHandles
import CProcess

/// Texts in C memory that `mam_free` releases.
public enum ResultText {
    /// A copy with a NUL at its end; nil if there is no memory.
    public static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        guard let memory = process_result_alloc(bytes.count + 1) else { return nil }
        bytes.withUnsafeBytes {
            memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
        }
        memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return memory.assumingMemoryBound(to: CChar.self)
    }
}

extension MAMError {
    /// Make this the calling thread's last error. Without a session, `language` is nil: the process's.
    public func becomeLast(in language: Language?) {
        let first: [(key: String, value: JSON)] = [
            ("status", .integer(Int64(code.rawValue))), ("name", .string(code.name.map { "\($0)" } ?? "unknown")),
            ("message", .string(message)),
        ]
        let language = language ?? .process
        let json = JSON.object(first + language.members(messageKey) + [("detail", .object(detail))])
        thread_state_fail(
            code.rawValue, ResultText.copy(Array(message.utf8)), ResultText.copy(Array(language.text(messageKey).utf8)),
            ResultText.copy(json.utf8))
    }
}
