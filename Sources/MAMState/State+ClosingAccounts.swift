import CProcess
import MAMPolicy
import MAMProtection
import MAMSupport

/// Closing an account for a wipe: first in the memory that processes share, then by destroying its key, last in the journal.
extension State {
    /// Close an account in every process of the group, before any step that can fail. The closure is stored in shared memory and
    /// the generation word becomes odd, so that no process answers from memory before it has found the closure. It lasts until
    /// ``removeAccountClosure(_:)``, or until no process uses the state. Returns false where the table of closures is full.
    @discardableResult
    public func recordAccountClosure(_ account: AccountRowID, _ tombstone: Tombstone) -> Bool {
        var closing = shared_closed_account_t()
        withUnsafeMutableBytes(of: &closing.account) { $0.copyBytes(from: account.bytes) }
        withUnsafeMutableBytes(of: &closing.reason) { $0.copyBytes(from: tombstone.bytes) }
        let isRecorded = shared_closed_accounts_add(words, &closing)
        while true {
            let seen = shared_generation_word(words)
            let odd = GenerationWord.odd(
                era: GenerationWord.era(seen), GenerationWord.generation(seen), mark: shared_unique_mark(words))
            if odd != seen, shared_generation_word_replace(words, seen, odd) { return isRecorded }
        }
    }

    /// Destroy an account's key. It cannot be opened afterwards.
    public func destroyKey(_ account: AccountRowID, _ tombstone: Tombstone) throws(MAMError) {
        try shares.writeTombstone(account, tombstone)
    }

    /// Remove the share's file of an account that is being wiped.
    public func removeShare(_ account: AccountRowID) throws(MAMError) { try shares.removeShare(account) }

    /// Remove a closure once the key is destroyed and the journal keeps the account closed.
    public func removeAccountClosure(_ account: AccountRowID) {
        account.bytes.withUnsafeBufferPointer { id in
            if let base = id.baseAddress, id.count == Int(SHARED_ACCOUNT_BYTES) {
                shared_closed_accounts_remove(words, base)
            }
        }
    }

    /// The tombstone of a recorded closure; nil without one.
    func accountClosure(_ account: AccountRowID) -> Tombstone? {
        var closing = shared_closed_account_t()
        let isFound = account.bytes.withUnsafeBufferPointer { id in
            guard let base = id.baseAddress, id.count == Int(SHARED_ACCOUNT_BYTES) else { return false }
            return shared_closed_accounts_find(words, base, &closing)
        }
        return isFound ? State.tombstone(closing) : nil
    }

    /// The accounts of the group that are closed for their wipes.
    public var accountsClosedForWipe: [(account: AccountRowID, tombstone: Tombstone)] {
        guard shared_closed_accounts_any(words) else { return [] }
        var found = [shared_closed_account_t](
            repeating: shared_closed_account_t(), count: Int(SHARED_CLOSED_ACCOUNTS))
        let count = shared_closed_accounts_list(words, &found, found.count)
        return found.prefix(count).map { closing in
            (AccountRowID(withUnsafeBytes(of: closing.account) { Array($0) }), State.tombstone(closing))
        }
    }

    private static func tombstone(_ closing: shared_closed_account_t) -> Tombstone {
        withUnsafeBytes(of: closing.reason) { Tombstone(bytes: $0) } ?? Tombstone(reason: .host, wipe: nil)
    }

    /// Wake the workers of all processes.
    public func wakeWorkers() { shared_wakeup_signal(words) }
}
