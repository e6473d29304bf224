import CPlatform

/// Bytes that must not leak: in locked memory that core dumps leave out, zeroed on release, never printable. Those of a vault are
/// zeros once that is closed.
public final class SecretBytes: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let base: UnsafeMutableRawPointer
    /// How many bytes.
    public let count: Int
    /// What they end with; nil for their last holder alone. What is derived from them belongs there as well.
    public let vault: Vault?

    /// New memory, filled by `body`. `.closed` where the vault is.
    public init(
        count: Int, in vault: Vault? = nil, filling body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        guard count >= 0 else { throw .noMemory(count) }
        self.base = try Vault.allocate(max(count, 1), in: vault)
        self.vault = vault
        self.count = count
        try body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// A copy of bytes; the caller zeroes its own.
    public convenience init(copying bytes: UnsafeRawBufferPointer) throws(MAMError) {
        try self.init(count: bytes.count) { memory in memory.copyMemory(from: bytes) }
    }

    /// Random bytes from the system.
    public static func random(count: Int) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: count) { memory throws(MAMError) in
            guard let base = memory.baseAddress, platform_random(base, memory.count) else {
                throw MAMError(.crypto, "the system gives no random numbers")
            }
        }
    }

    deinit { platform_secret_free(base, max(count, 1)) }

    /// Look at the bytes; the pointer ends with the call.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Whether they are still there: what was read of them before is then what was written.
    public var isAlive: Bool { platform_secret_is_alive(base) }

    /// Equal, in constant time for equal lengths.
    public func isEqual(to other: SecretBytes) -> Bool {
        count == other.count && platform_equal(base, other.base, count)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says how long, never what.
    public var description: String { "SecretBytes(\(count))" }
    /// The same.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
