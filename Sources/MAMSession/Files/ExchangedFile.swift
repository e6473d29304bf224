import MAMFiles
import MAMProtection
import MAMSupport

/// What a file that goes from one app to another turns out to hold: whose it is, and what opens it.
struct ExchangedFile {
    /// Its owner by the header that a key of this app's bears out; not given where it has none.
    let owner: AccountArgument
    /// What opens it; nil where it is plain.
    let key: OpeningKey?

    /// Whether only its key reads it.
    var isSealed: Bool { key?.dataKey != nil }
}

extension Session {
    /// What a file holds. Whether a label is right shows when all of it is read, before the copy takes its place.
    func exchanged(_ source: SourceFile) throws(MAMError) -> ExchangedFile {
        switch source.form {
        case .plain, .database, .databaseLog: return ExchangedFile(owner: .notGiven, key: nil)
        case .container(let header):
            let opener = try fileOpener(for: header)
            let isRight =
                header.algorithm == ContainerHeader.labelled
                || source.beginning.withUnsafeBytes { opener.verifies($0, header) }
            guard isRight, let owner = try? AccountArgument(bytes: header.accountId) else {
                throw .file(
                    .authentication, source.place.shown, "does not verify: it was changed since it was protected",
                    originalCode: 103)
            }
            return ExchangedFile(owner: owner, key: opener.key)
        case .sealed(let header):
            let snapshot = try current()
            let (key, owner) = try fileKey(header, source.place.shown, snapshot)
            if let owner { try checkUnguarded(owner) }
            guard let key, let owner else { throw MAMError(.internal, "a sealed file has a key") }
            return ExchangedFile(owner: try AccountArgument(owner.accountId), key: .sealed(key))
        }
    }

    /// What opens a container: a key of this app, or one that managed apps exchange files under.
    private func fileOpener(for header: ContainerHeader) throws(MAMError) -> Opener {
        var failure: MAMError
        do throws(MAMError) { return try opener(for: header) } catch { failure = error }
        if failure.code == .keyUnavailable, header.content == .file {
            failure = unavailable(
                header, "the account is not enrolled in this app, or was not when the file was exported")
        }
        guard failure.code == .keyUnavailable, header.algorithm == ContainerHeader.sealed,
            let account = try current().find(folded: Identity.fold(header.accountId)), account.policy != nil
        else { throw failure }
        try checkUsable(account)
        guard let key = try exchangeKey(named: header, of: account) else { throw failure }
        return .sealed(key)
    }
}
