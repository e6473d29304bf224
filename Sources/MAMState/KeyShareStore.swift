import CFiles
import MAMProtection
import MAMSupport

/// The shares: a small file per account that is needed to open anything of the account. A wipe destroys it.
struct KeyShareStore {
    let directory: StateDirectory
    static let length = 32

    /// Create an account's share and sync it.
    func make(_ account: AccountRowID) throws(MAMError) -> SecretBytes {
        let share = try SecretBytes.random(count: KeyShareStore.length)
        let result = share.withUnsafeBytes { memory in
            memory.baseAddress.map { files_create_at(directory.shares, account.hex, $0, memory.count) } ?? 0
        }
        guard result == 0 else { throw .system(result, "make a shred share", path: path(account)) }
        return share
    }

    /// The content of a share's file.
    enum Share {
        case present(SecretBytes)
        /// The account was wiped; the tombstone has the reason.
        case tombstone(Tombstone)
        /// There is no file.
        case missing(MAMError)
    }

    /// Load an account's share.
    func load(_ account: AccountRowID) throws(MAMError) -> Share {
        var count = 0
        var result: Int32 = 0
        let share = try SecretBytes(count: KeyShareStore.length) { memory in
            guard let base = memory.baseAddress else { return }
            result = files_read_at(directory.shares, account.hex, base, memory.count, &count)
        }
        if Int(result) == FILES_ENOENT {
            return .missing(
                MAMError(
                    .keyUnavailable, "\(path(account)): the shred share is gone: nothing of its account can be read",
                    [("path", .string(path(account)))]))
        }
        if Int(result) == FILES_ELOOP, let tombstone = link(account) { return .tombstone(tombstone) }
        // A transient failure reveals nothing about the account; the caller retries.
        let isPassing = [FILES_EMFILE, FILES_ENFILE, FILES_ENOMEM, FILES_EIO].contains(Int(result))
        guard !isPassing else { throw .system(result, "read a shred share", path: path(account)) }
        guard result == 0 || Int(result) == FILES_EFBIG else {
            let error = MAMError.system(result, "read a shred share", path: path(account))
            throw MAMError(.keyUnavailable, error.message + ": nothing of its account can be read", error.detail)
        }
        guard result == 0, count == KeyShareStore.length else {
            throw MAMError(
                .keyUnavailable, "\(path(account)): the shred share is damaged: nothing of its account can be read",
                [("path", .string(path(account)))])
        }
        if let tombstone = share.withUnsafeBytes({ Tombstone(bytes: $0) }) { return .tombstone(tombstone) }
        return .present(share)
    }

    /// Overwrite an account's share with a tombstone: one write destroys the key and records the wipe. A file that cannot be
    /// written is replaced by a symbolic link with the tombstone. A missing share stays missing, and the first tombstone is kept.
    func writeTombstone(_ account: AccountRowID, _ tombstone: Tombstone) throws(MAMError) {
        if case .tombstone? = try? load(account) { return }
        var result = overwrite(account, tombstone)
        if [FILES_EMFILE, FILES_ENFILE].contains(Int(result)) {
            directory.releaseSpareDescriptor()
            result = overwrite(account, tombstone)
            directory.openSpareDescriptor()
        }
        guard result != 0, Int(result) != FILES_ENOENT else { return }
        result = files_replace_by_symlink_at(directory.shares, account.hex, tombstone.link)
        guard result == 0 || Int(result) == FILES_ENOENT else {
            throw .system(result, "destroy a shred share", path: path(account))
        }
    }

    private func overwrite(_ account: AccountRowID, _ tombstone: Tombstone) -> Int32 {
        tombstone.bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { files_overwrite_at(directory.shares, account.hex, $0, memory.count) } ?? 0
        }
    }

    /// The tombstone in a link; nil for another file or target.
    private func link(_ account: AccountRowID) -> Tombstone? {
        var target = [CChar](repeating: 0, count: 2 * KeyShareStore.length + 2)
        guard files_read_symlink_at(directory.shares, account.hex, &target, target.count) == 0 else { return nil }
        return Tombstone(link: String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Overwrite an account's share, unless a tombstone did, unlink it and sync. Idempotent.
    func removeShare(_ account: AccountRowID) throws(MAMError) {
        let isOverwritten = if case .tombstone = try? load(account) { true } else { false }
        let result = (isOverwritten ? files_unlink_at : files_shred_at)(directory.shares, account.hex)
        guard result == 0 else { throw .system(result, "destroy a shred share", path: path(account)) }
    }

    private func path(_ account: AccountRowID) -> String { "\(directory.path)/shares/\(account.hex)" }
}
