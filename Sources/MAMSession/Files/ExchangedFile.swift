import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport

/// The content of a file that goes from one app to another: its owner, and the key that opens it.
struct ExchangedFile {
    /// The owner that the header names, verified with a key of this app; `.notGiven` without a header.
    let owner: AccountArgument
    /// The key that opens it; nil where it is plain.
    let key: OpeningKey?

    /// Whether it is encrypted, not only labelled.
    var isSealed: Bool { key?.dataKey != nil }
}

/// Owners of files that are exported and imported.
extension Snapshot {
    /// Returns the owner of an exported file: the account that sealed it, that attribute or index names, or that labelled it.
    func owner(
        of content: ExchangedFile, _ known: FileOwnership, _ path: FilePath
    ) throws(MAMError) -> AccountArgument {
        if isBound(content) { return content.owner }
        // Where attribute and index disagree, no owner is better than the wrong one.
        guard known.disagreement != .owner, known.account != nil || known.disagreement == nil else {
            throw .file(
                .denied, path.text, "the owner is not known for sure; say it with mam_file_protect",
                [("disagreement", .optional(known.disagreement?.rawValue))])
        }
        return known.account == nil ? content.owner : try AccountArgument(bytes: known.account)
    }

    /// Whether the content determines the owner: it is sealed, or labelled for a managed account. A file with any other label may
    /// have been given to an account since.
    private func isBound(_ content: ExchangedFile) -> Bool {
        if content.isSealed { return true }
        if case .unmanaged = accountPolicy(of: content.owner) { return false }
        return true
    }

    /// Returns the account of a file, where the app uses several identities and the account may receive the file.
    func ownReceiver(ofFileFrom sender: AccountArgument) -> AccountArgument? {
        guard settings.bool(SettingKey.multiIdentity) else { return nil }
        let owner = stable(sender == .notGiven ? .noUser : sender)
        guard (try? checkFileOwner(owner)) != nil else { return nil }
        let subject = PolicySubject(receiver(owner, ofFileFrom: sender))
        return accountPolicy(of: subject).receive(from: peer(sender, of: subject)).allowed
            ? owner : nil
    }

    /// Returns the sender of an imported file. Only an owner that verifies counts, as in `mam_policy_can_receive_file`.
    func sender(
        of content: ExchangedFile, _ known: FileOwnership
    ) throws(MAMError) -> AccountArgument {
        guard !isBound(content), known.isAuthenticated, known.disagreement == nil, let name = known.account
        else { return content.owner }
        return try AccountArgument(bytes: name)
    }

    /// Returns the owner of the copy. A file from an unknown sender that no managed account is to receive goes to the first account
    /// whose policy claims such files.
    func receiver(
        _ argument: AccountArgument, ofFileFrom sender: AccountArgument
    ) -> AccountArgument {
        guard case .notGiven = sender, case .unmanaged = accountPolicy(of: argument),
            let account = accounts.first(where: { $0.accountPolicy.takesUnknownFiles }),
            let identity = try? Identity(account.accountId)
        else { return argument }
        return .named(identity)
    }

    /// Returns the account and key that seal the copy; nil where its owner is not managed.
    func key(
        ofReceiver receiver: AccountArgument
    ) throws(MAMError) -> (account: [UInt8], key: DataKey)? {
        guard case .named(let identity) = receiver, let account = find(identity), account.policy != nil else {
            return nil
        }
        try account.checkUsable()
        guard let key = account.key else { throw Account.noKeyError }
        return (Array(account.accountId.utf8), key)
    }
}
