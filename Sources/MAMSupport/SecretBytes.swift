import CPlatform

/// Bytes that must not leak: in locked memory that core dumps leave out, zeroed on release, never printable.
public final class SecretBytes: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let base: UnsafeMutableRawPointer
    /// How many bytes.
    public let count: Int

    /// New memory, filled by `body`.
    public init(count: Int, filling body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) {
        guard count >= 0, let base = platform_secret_alloc(max(count, 1)) else {
            throw .noMemory(count)
        }
        self.base = base
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
