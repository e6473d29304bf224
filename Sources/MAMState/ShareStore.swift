import CPlatform
import MAMProtection
import MAMSupport

/// The shred shares: one small file an account, without which nothing of the account opens. Destroying it is the wipe.
struct ShareStore {
    let directory: StateDirectory
    static let length = 32

    /// Make an account's share, durably.
    func make(_ account: AccountRowID) throws(MAMError) -> SecretBytes {
        let share = try SecretBytes.random(count: ShareStore.length)
        let result = share.withUnsafeBytes { memory in
            memory.baseAddress.map { platform_create_at(directory.shares, account.hex, $0, memory.count) } ?? 0
        }
        guard result == 0 else { throw .system(result, "make a shred share", path: path(account)) }
        return share
    }

    /// What an account's share file holds.
    enum Share {
        case key(SecretBytes)
        /// The account was wiped: what is left tells why.
        case tombstone(Tombstone)
        /// Nothing is there.
        case missing(MAMError)
    }

    /// An account's share.
    func load(_ account: AccountRowID) throws(MAMError) -> Share {
        var count = 0
        var result: Int32 = 0
        let share = try SecretBytes(count: ShareStore.length) { memory in
            guard let base = memory.baseAddress else { return }
            result = platform_read_at(directory.shares, account.hex, base, memory.count, &count)
        }
        if Int(result) == PLATFORM_ENOENT {
            return .missing(
                MAMError(
                    .keyUnavailable, "\(path(account)): the shred share is gone: nothing of its account can be read",
                    [("path", .string(path(account)))]))
        }
        if Int(result) == PLATFORM_ELOOP, let tombstone = link(account) { return .tombstone(tombstone) }
        // What passes by itself says nothing about the account: the caller tries again.
        let isPassing = [PLATFORM_EMFILE, PLATFORM_ENFILE, PLATFORM_ENOMEM, PLATFORM_EIO].contains(Int(result))
        guard !isPassing else { throw .system(result, "read a shred share", path: path(account)) }
        guard result == 0 || Int(result) == PLATFORM_EFBIG else {
            let error = MAMError.system(result, "read a shred share", path: path(account))
            throw MAMError(.keyUnavailable, error.message + ": nothing of its account can be read", error.detail)
        }
        guard result == 0, count == ShareStore.length else {
            throw MAMError(
                .keyUnavailable, "\(path(account)): the shred share is damaged: nothing of its account can be read",
                [("path", .string(path(account)))])
        }
        if let tombstone = share.withUnsafeBytes({ Tombstone(bytes: $0) }) { return .tombstone(tombstone) }
        return .key(share)
    }

    /// Put a tombstone in the place of an account's share: in one write the key is gone and the wipe is promised. Where the
    /// file cannot be written it goes all the same, and a link takes its place. A share that is gone already stays so, and the
    /// first tombstone stays.
    func bury(_ account: AccountRowID, _ tombstone: Tombstone) throws(MAMError) {
        if case .tombstone? = try? load(account) { return }
        var result = overwrite(account, tombstone)
        if [PLATFORM_EMFILE, PLATFORM_ENFILE].contains(Int(result)) {
            directory.spendSpare()
            result = overwrite(account, tombstone)
            directory.keepSpare()
        }
        guard result != 0, Int(result) != PLATFORM_ENOENT else { return }
        result = platform_replace_by_link_at(directory.shares, account.hex, tombstone.link)
        guard result == 0 || Int(result) == PLATFORM_ENOENT else {
            throw .system(result, "destroy a shred share", path: path(account))
        }
    }

    private func overwrite(_ account: AccountRowID, _ tombstone: Tombstone) -> Int32 {
        tombstone.bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { platform_overwrite_at(directory.shares, account.hex, $0, memory.count) } ?? 0
        }
    }

    /// What a link in the place of a share tells; nil where there is none, or it is none of ours.
    private func link(_ account: AccountRowID) -> Tombstone? {
        var target = [CChar](repeating: 0, count: 2 * ShareStore.length + 2)
        guard platform_read_link_at(directory.shares, account.hex, &target, target.count) == 0 else { return nil }
        return Tombstone(link: String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Remove an account's share: overwritten, unlinked, durable. Doing it again is fine.
    func shred(_ account: AccountRowID) throws(MAMError) {
        let result = platform_shred_at(directory.shares, account.hex)
        guard result == 0 else { throw .system(result, "destroy a shred share", path: path(account)) }
    }

    private func path(_ account: AccountRowID) -> String { "\(directory.path)/shares/\(account.hex)" }
}
