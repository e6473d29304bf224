import CPlatform
import MAMProtection
import MAMSupport

/// An account whose wipe was received: closed in every process first, then without its key, then in the journal.
extension State {
    /// Close an account in every process of the group, before anything that can fail: it is noted beside the shared words,
    /// and the word becomes odd, so that nobody answers from memory before they have looked again and found the note. The
    /// note stays until ``settle(_:)``, or until no process uses the state. False where there is no room for it.
    @discardableResult
    public func announce(_ account: AccountRowID, _ tombstone: Tombstone) -> Bool {
        var closing = platform_closing_t()
        withUnsafeMutableBytes(of: &closing.account) { $0.copyBytes(from: account.bytes) }
        withUnsafeMutableBytes(of: &closing.reason) { $0.copyBytes(from: tombstone.bytes) }
        let isNoted = platform_closing_add(words, &closing)
        while true {
            let seen = platform_generation(words)
            let odd = GenerationWord.odd(
                epoch: GenerationWord.epoch(seen), GenerationWord.generation(seen), mark: platform_closing_mark(words))
            if odd != seen, platform_generation_replace(words, seen, odd) { return isNoted }
        }
    }

    /// Destroy an account's key: from here on it opens nowhere.
    public func destroy(_ account: AccountRowID, _ tombstone: Tombstone) throws(MAMError) {
        try shares.bury(account, tombstone)
    }

    /// Remove the share's file of a promised wipe.
    public func shred(_ account: AccountRowID) throws(MAMError) { try shares.shred(account) }

    /// The key is gone, and the journal keeps the account closed: the note is not needed any more.
    public func settle(_ account: AccountRowID) {
        account.bytes.withUnsafeBufferPointer { id in
            if let base = id.baseAddress, id.count == Int(PLATFORM_CLOSING_ACCOUNT) {
                platform_closing_remove(words, base)
            }
        }
    }

    /// Why an account is noted as closed; nil where it is not.
    func announced(_ account: AccountRowID) -> Tombstone? {
        var closing = platform_closing_t()
        let isFound = account.bytes.withUnsafeBufferPointer { id in
            guard let base = id.baseAddress, id.count == Int(PLATFORM_CLOSING_ACCOUNT) else { return false }
            return platform_closing_find(words, base, &closing)
        }
        return isFound ? State.tombstone(closing) : nil
    }

    /// Every account of the group that is noted as closed.
    public var announcements: [(account: AccountRowID, tombstone: Tombstone)] {
        guard platform_closing_any(words) else { return [] }
        var found = [platform_closing_t](
            repeating: platform_closing_t(), count: Int(PLATFORM_CLOSINGS))
        let count = platform_closing_list(words, &found, found.count)
        return found.prefix(count).map { closing in
            (AccountRowID(withUnsafeBytes(of: closing.account) { Array($0) }), State.tombstone(closing))
        }
    }

    private static func tombstone(_ closing: platform_closing_t) -> Tombstone {
        withUnsafeBytes(of: closing.reason) { Tombstone(bytes: $0) } ?? Tombstone(reason: "host", wipe: nil)
    }

    /// Ring for workers of every process: something is to be looked at.
    public func ring() { platform_bell_ring(words) }
}
