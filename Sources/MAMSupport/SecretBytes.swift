import CProcess

/// Secret bytes: in locked memory that core dumps omit, zeroed on release, never printed. Bytes in a vault are zeroed when it is
/// closed.
public final class SecretBytes: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let base: UnsafeMutableRawPointer
    /// The number of bytes.
    public let count: Int
    /// The vault that zeroes the bytes on closing, if any. Derived secrets belong to the same vault.
    public let vault: Vault?

    /// Allocate memory and fill it with `body`. Fails with `.closed` where the vault is closed.
    public init(
        count: Int, in vault: Vault? = nil, filling body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        guard count >= 0 else { throw .noMemory(count) }
        self.base = try Vault.allocate(max(count, 1), in: vault)
        self.vault = vault
        self.count = count
        try body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// Copy bytes. The caller zeroes its own copy.
    public convenience init(copying bytes: UnsafeRawBufferPointer) throws(MAMError) {
        try self.init(count: bytes.count) { memory in memory.copyMemory(from: bytes) }
    }

    /// Copy a text. The text itself stays where Swift has it.
    public convenience init(copyingText text: String) throws(MAMError) {
        let bytes = Array(text.utf8)
        try self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Copy a secret with bytes before and behind it.
    public convenience init(
        _ front: [UInt8], _ secret: SecretBytes, _ back: [UInt8] = []
    ) throws(MAMError) {
        try self.init(count: front.count + secret.count + back.count) { memory in
            memory.copyBytes(from: front)
            secret.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: memory[front.count...].prefix($0.count)).copyMemory(from: $0)
            }
            UnsafeMutableRawBufferPointer(rebasing: memory[(front.count + secret.count)...]).copyBytes(from: back)
        }
    }

    /// Returns random bytes from the system.
    public static func random(count: Int) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: count) { memory throws(MAMError) in
            guard let base = memory.baseAddress, process_random(base, memory.count) else {
                throw MAMError(.crypto, "the system gives no random numbers")
            }
        }
    }

    deinit { process_secret_free(base, max(count, 1)) }

    /// Access the bytes; the pointer is valid during the call.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Calls a closure with the bytes.
    public func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { (bytes) throws(E) in try body(bytes.assumingMemoryBound(to: UInt8.self).span) }
    }

    /// Whether the bytes have not been zeroed yet. If so after a read, the read bytes were the secret.
    public var isAlive: Bool { process_secret_is_alive(base) }

    /// Compares in constant time for equal lengths.
    public func isEqual(to other: SecretBytes) -> Bool {
        count == other.count && process_equal(base, other.base, count)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, without the bytes.
    public var description: String { "SecretBytes(\(count))" }
    /// Same as ``description``.
    public var debugDescription: String { description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
