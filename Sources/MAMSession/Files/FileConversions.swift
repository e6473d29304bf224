import MAMFiles
import MAMProtection
import MAMSupport

/// The keys with which files are converted and exchanged.
protocol ExchangeKeys: FileKeys {
    /// Returns the key for an export, after asking the authority whether the account may still have it.
    func newestExchangeKey(of account: Account) throws(MAMError) -> DataKey
    /// Returns the exchange key that a header names, from the authority if necessary; nil where this app was not issued it.
    func exchangeKey(named header: ContainerHeader, of account: Account) throws(MAMError) -> DataKey?
}

/// Databases that can be sealed under the newest key of their account.
protocol DatabaseReprotecting: AnyObject, Sendable {
    /// Seals a database under its account's newest key; returns whether it was under a former one.
    func reprotect(_ path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> Bool
}

/// Switches of the default window, which an import may need.
protocol WindowSwitching: AnyObject, Sendable {
    /// Switches the default window to the owner of an imported file; fails with `refusal` where the host declines.
    func switchWindow(to owner: AccountArgument, from: AccountArgument, or refusal: MAMError) throws(MAMError)
}

/// Conversions of files as a whole: encryption, decryption, new keys, export and import.
public final class FileConversions: SessionService, Sendable {
    let context: SessionContext
    let files: any FileRules
    let keys: any ExchangeKeys
    let databases: any DatabaseReprotecting
    let windows: any WindowSwitching

    init(
        _ context: SessionContext, _ files: any FileRules, _ keys: any ExchangeKeys,
        _ databases: any DatabaseReprotecting, _ windows: any WindowSwitching
    ) {
        (self.context, self.files, self.keys) = (context, files, keys)
        (self.databases, self.windows) = (databases, windows)
    }

    var owners: OwnershipStore { OwnershipStore(state, libraryFiles) }

    /// Returns the owner and key that a file's header names. A label is verified after the whole file was read, before the copy
    /// appears under its name.
    func exchangedFile(_ source: SourceFile) throws(MAMError) -> ExchangedFile {
        switch source.kind {
        case .plain, .database, .databaseLog: return ExchangedFile(owner: .notGiven, key: nil)
        case .container(let header):
            let opener = try fileOpener(for: header)
            let verifies =
                header.algorithm == ContainerHeader.labelled
                || source.beginning.withUnsafeBytes { opener.verifies($0, header) }
            guard verifies, let owner = try? AccountArgument(bytes: header.accountId) else {
                throw .file(
                    .authentication, source.location.displayPath,
                    "does not verify: it was changed since it was protected",
                    originalCode: .failedToDecrypt)
            }
            return ExchangedFile(owner: owner, key: opener.key)
        case .sealed(let header):
            let snapshot = try current()
            let (key, owner) = try files.key(of: header, source.location.displayPath, snapshot)
            if let owner { try owner.checkReadable(screen) }
            guard let key, let owner else { throw MAMError(.internal, "a sealed file has a key") }
            return ExchangedFile(owner: try AccountArgument(stored: owner.accountId), key: .sealed(key))
        }
    }

    /// Returns the opener of a container: a data key of this app, or an exchange key.
    private func fileOpener(for header: ContainerHeader) throws(MAMError) -> Opener {
        var failure: MAMError
        do throws(MAMError) { return try keys.opener(for: header, isStrict: false) } catch { failure = error }
        if failure.code == .keyUnavailable, header.content == .file {
            failure = header.keyUnavailable(
                "the account is not enrolled in this app, or was not when the file was exported")
        }
        guard failure.code == .keyUnavailable, header.algorithm == ContainerHeader.sealed,
            let account = try current().find(folded: Identity.fold(header.accountId)), account.policy != nil
        else { throw failure }
        try account.checkUsable()
        try account.checkReadable(screen)
        guard let key = try keys.exchangeKey(named: header, of: account) else { throw failure }
        return .sealed(key)
    }
}
