import CPlatform

/// The secrets that end together: all keys of a session, whoever still holds them. Any thread.
public final class Vault: @unchecked Sendable {
    // CPlatform does its own locking.
    private let vault: OpaquePointer

    /// An empty one.
    public init() throws(MAMError) {
        guard let vault = platform_vault_new() else { throw .noMemory(1) }
        self.vault = vault
    }

    deinit { platform_vault_free(vault) }

    /// Wait for the uses under way, then zero everything in it; no secret of it seals, opens or derives any more. In a forked
    /// child nothing is waited for.
    public func close() { platform_vault_close(vault) }

    /// Memory for a secret of a vault, or of the process; ``release(_:_:)`` gives it back. `.closed` where the vault is.
    public static func allocate(_ count: Int, in vault: Vault?) throws(MAMError) -> UnsafeMutableRawPointer {
        if let memory = platform_secret_alloc(vault?.vault, count) { return memory }
        if let vault, platform_vault_is_closed(vault.vault) { throw closed }
        throw .noMemory(count)
    }

    /// Zero and give back what ``allocate(_:in:)`` gave; the vault must still be there.
    public static func release(_ memory: UnsafeMutableRawPointer, _ count: Int) { platform_secret_free(memory, count) }

    /// Run while the vault cannot be closed: for what uses a secret while no session is entered. Nothing is waited for inside,
    /// and no function of the host is called. `.closed` where the vault is.
    public static func using<R>(_ vault: Vault?, _ body: () throws(MAMError) -> R) throws(MAMError) -> R {
        guard platform_vault_enter(vault?.vault) else { throw closed }
        defer { platform_vault_leave(vault?.vault) }
        return try body()
    }

    /// The secret is gone.
    public static let closed = MAMError(
        .closed, "the session was closed, or this is a forked child: its keys are gone; open a session of your own")

    /// What diagnostics show of all memory of this kind.
    public static var json: JSON {
        ["locked": .bool(platform_secret_is_locked()), "wipedOnFork": .bool(platform_secret_is_wiped())]
    }
}
