import MAMProtection
import MAMState
import MAMSupport

/// The keys of a session's accounts, and what is sealed and opened with them.
public final class Protection: SessionService, ExchangeKeys, DatabaseKeys, LabelVerifying, ExchangeKeyRefreshing {
    let context: SessionContext
    /// When a service was last asked for the exchange keys of an account for an export, in time since boot.
    let refreshes = Locked<[AccountRowID: TimeSpan]>([:])

    init(_ context: SessionContext) { self.context = context }

    /// Returns what seals data of an account, by the latest state.
    public func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer {
        let snapshot = try current()
        let account = try snapshot.managedOwner(of: argument, refusalClause: "its data is not labelled as personal")
        guard snapshot.isManaging else {
            throw MAMError(
                .notManaged, "no account is enrolled in this app; enroll one first",
                [OriginalCode.applicationNotManaged.detail])
        }
        guard argument != .notGiven else {
            throw .argument(
                "account", "is missing; name an account, or \"\" for no user", originalCode: .invalidArguments)
        }
        guard let account else {
            return Sealer(account: Array((argument.text ?? "").utf8), kind: .labelled(state.labelKey), content: content)
        }
        guard let sealer = account.sealer else { throw Account.noKeyError }
        return Sealer(account: sealer.account, kind: sealer.kind, content: content)
    }

    /// Fails where the account of an open stream may not be sealed for any more: its key is gone, or it has become managed.
    func check(_ sealer: Sealer, for argument: AccountArgument, _ snapshot: Snapshot) throws(MAMError) {
        let name: [(key: String, value: JSON)] = [
            ("accountId", .string(String(decoding: sealer.account, as: UTF8.self)))
        ]
        guard case .sealed(let key) = sealer.kind else {
            guard case .labelled = try self.sealer(for: argument, content: sealer.content).kind else {
                throw MAMError(
                    .denied,
                    "the account has become managed while the stream was open: its data is not labelled as personal",
                    name)
            }
            return
        }
        // After a rotation another key is the newest, and this one is still there.
        let owner = try dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
        if let problem = owner?.problem ?? argument.identity.flatMap(snapshot.problem(of:)) { throw problem }
        guard owner?.policy != nil else {
            throw MAMError(
                .notEnrolled, "the account was wiped or unenrolled while the stream was open", name,
                for: .errorAccountRemoved)
        }
    }

    /// Returns what opens a container; fails where its account is closed. A label that names nobody managed may be older than
    /// the management of its account: the data is read, unless the caller is strict.
    public func opener(for header: ContainerHeader, isStrict: Bool = false) throws(MAMError) -> Opener {
        let (opener, owner) = try openerAndOwner(for: header, isStrict: isStrict)
        if let owner { try owner.checkReadable(screen) }
        return opener
    }

    func verifiedOwner(of bytes: UnsafeRawBufferPointer) throws(MAMError) -> AccountArgument {
        guard Container.isContainer(bytes) else { return .notGiven }
        let header = try Container.header(bytes)
        guard let opener = try? openerAndOwner(for: header).opener, opener.verifies(bytes, header) else {
            return .notGiven
        }
        return try AccountArgument(bytes: header.accountId)
    }

    /// Returns what opens a container, and the account whose key that is. Closed accounts are included: their labels may be read.
    func openerAndOwner(
        for header: ContainerHeader, isStrict: Bool = false
    ) throws(MAMError) -> (opener: Opener, owner: Account?) {
        if header.algorithm == 0 {
            if isStrict, try current().find(folded: Identity.fold(header.accountId))?.policy != nil {
                throw MAMError(
                    .authentication,
                    "the data is labelled as personal, but its owner is managed: it was made before, or elsewhere",
                    [OriginalCode.failedToDecrypt.detail])
            }
            guard header.names(state.labelKey) else {
                throw header.keyUnavailable("another app group on this or another computer labelled it")
            }
            return (.labelled(state.labelKey), nil)
        }
        let snapshot = try current()
        for account in snapshot.accounts {
            if let key = account.key, header.names(key) { return (.sealed(key), account) }
        }
        if let (key, account) = try formerKey(named: header.keyId, epoch: header.epoch, in: snapshot) {
            return (.sealed(key), account)
        }
        try snapshot.checkOpens(header.accountId)
        if header.content == .file {
            throw header.keyUnavailable(
                "it is a file that an app exported; mam_file_import takes it in")
        }
        let (why, key) = snapshot.reasonWithoutKey(header.accountId, "data")
        throw header.keyUnavailable(why, for: key)
    }

    /// `mam_protection_info`.
    public func info(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> JSON {
        let header = try Container.header(bytes)
        let length = try Container.plainLength(bytes, header)
        return header.json(isAuthenticated: try verifies(bytes, header), length: .integer(Int64(length)))
    }

    /// `mam_protection_info_prefix`.
    public func info(ofPrefix bytes: UnsafeRawBufferPointer) throws(MAMError) -> JSON {
        let header = try Container.header(ofPrefix: bytes)
        // The end of a labelled container verifies its label.
        let isAuthenticated =
            if header.algorithm == ContainerHeader.sealed { try verifies(bytes, header) } else { false }
        let length = header.declaredLength.flatMap { Int64(exactly: $0) }
        return header.json(isAuthenticated: isAuthenticated, length: length.map(JSON.integer) ?? .null)
    }

    /// Returns whether a label was verified, false without its key; fails where it does not verify.
    private func verifies(_ bytes: UnsafeRawBufferPointer, _ header: ContainerHeader) throws(MAMError) -> Bool {
        guard let opener = try? openerAndOwner(for: header).opener else { return false }
        guard opener.verifies(bytes, header) else {
            throw MAMError(
                .authentication, "the container's label does not verify: it was changed since it was made",
                [OriginalCode.failedToDecrypt.detail])
        }
        return true
    }

    /// `mam_protection_info_string`.
    public func info(ofText text: UnsafeRawBufferPointer) throws(MAMError) -> JSON {
        try withContainer(of: text) { (container) throws(MAMError) in
            guard let container else { throw Container.notProtected("protected_text") }
            return try info(container)
        }
    }
}

extension Account {
    /// A managed account without a key: its state is not whole.
    static let noKeyError = MAMError(.keyUnavailable, "the account has no data key")
}

extension ContainerHeader {
    /// As `mam_protection_info` shows it.
    fileprivate func json(isAuthenticated: Bool, length: JSON) -> JSON {
        [
            "accountId": .string(String(decoding: accountId, as: UTF8.self)),
            "encrypted": .bool(algorithm == ContainerHeader.sealed), "authenticated": .bool(isAuthenticated),
            "algorithm": .integer(Int64(algorithm)), "contentType": .string(content.name),
            "keyId": .string(hexadecimal(keyId)), "epoch": .integer(Int64(epoch)), "length": length,
        ]
    }

    func keyUnavailable(_ why: String, for messageKey: MessageKey? = nil) -> MAMError {
        let account = String(decoding: accountId, as: UTF8.self)
        let key = hexadecimal(keyId)
        return MAMError(
            .keyUnavailable,
            "data of \(account.isEmpty ? "no user" : account) needs key \(key), which is not here: \(why)",
            [("accountId", .string(account)), ("keyId", .string(key)), OriginalCode.failedToDecrypt.detail],
            for: messageKey)
    }
}
