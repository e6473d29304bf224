import CProcess

/// A group of secrets that are zeroed together: the keys of a session. Thread-safe.
public final class Vault: @unchecked Sendable {
    // The C object is thread-safe.
    private let vault: OpaquePointer

    /// An empty vault.
    public init() throws(MAMError) {
        guard let vault = process_vault_new() else { throw .noMemory(1) }
        self.vault = vault
    }

    deinit { process_vault_free(vault) }

    /// Wait for uses in progress, then zero all secrets of the vault; none of them seals, opens or derives afterwards. A forked
    /// child does not wait.
    public func close() { process_vault_close(vault) }

    /// Allocate secret memory in a vault, or in none. Fails with `.closed` where the vault is closed. See ``release(_:_:)``.
    public static func allocate(_ count: Int, in vault: Vault?) throws(MAMError) -> UnsafeMutableRawPointer {
        if let memory = process_secret_alloc(vault?.vault, count) { return memory }
        if let vault, process_vault_is_closed(vault.vault) { throw closed }
        throw .noMemory(count)
    }

    /// Zero and free memory from ``allocate(_:in:)``. Its vault must still exist.
    public static func release(_ memory: UnsafeMutableRawPointer, _ count: Int) { process_secret_free(memory, count) }

    /// Run `body` while the vault cannot be closed, for secrets that are used outside a session call. `body` must not block or call
    /// the host. Fails with `.closed` where the vault is closed.
    public static func using<R>(_ vault: Vault?, _ body: () throws(MAMError) -> R) throws(MAMError) -> R {
        guard process_vault_enter(vault?.vault) else { throw closed }
        defer { process_vault_leave(vault?.vault) }
        return try body()
    }

    /// The error of a closed vault.
    public static let closed = MAMError(
        .closed, "the session was closed, or this is a forked child: its keys are gone; open a session of your own")

    /// The secret memory of the process, for diagnostics.
    public static var json: JSON {
        [
            "locked": .bool(process_secrets_are_all_locked()),
            "wipedOnFork": .bool(process_secrets_are_emptied_on_fork()),
        ]
    }
}
