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
    /// The error as JSON. Without a session, `language` is nil: the process's.
    public func json(in language: Language?) -> JSON {
        let first: [(key: String, value: JSON)] = [
            ("status", .integer(Int64(code.rawValue))), ("name", .string(code.name.map { "\($0)" } ?? "unknown")),
            ("message", .string(message)),
        ]
        return .object(first + (language ?? .process).members(messageKey) + [("detail", .object(detail))])
    }

    /// Make this the calling thread's last error.
    public func becomeLast(in language: Language?) {
        let userMessage = (language ?? .process).text(messageKey)
        thread_state_fail(
            code.rawValue, ResultText.copy(Array(message.utf8)), ResultText.copy(Array(userMessage.utf8)),
            ResultText.copy(json(in: language).utf8))
    }
}
