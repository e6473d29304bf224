import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// What seals data of a managed account; nil where the name has to be looked at closer.
    public func sealer(forManaged name: UnsafeBufferPointer<UInt8>) throws(MAMError) -> Sealer? {
        let snapshot = try current()
        return snapshot.place(of: name).flatMap { snapshot.accounts[$0].sealer }
    }

    /// What seals data of an account, by the latest state.
    public func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer {
        let snapshot = try current()
        let account = try managedOwner(of: argument, snapshot, late: "its data is not labelled as personal")
        guard snapshot.isManaging else {
            if let problem = snapshot.closed.first { throw problem.error }
            throw MAMError(.notManaged, "no account is enrolled in this app; enroll one first", [("originalCode", 100)])
        }
        guard argument != .notGiven else {
            throw .argument("account", "is missing; name an account, or \"\" for no user", originalCode: 101)
        }
        guard let account else { return labelled(Array((argument.text ?? "").utf8), content) }
        guard let sealer = account.sealer else { throw Session.hasNoKey }
        return Sealer(account: sealer.account, kind: sealer.kind, content: content)
    }

    /// The managed account that owns what is made for a name; nil where the name is nobody's or a person's own. Fails for a
    /// name that has left or is unknown in the organisation's domain; `late` says what is not done for it.
    func managedOwner(
        of argument: AccountArgument, _ snapshot: Snapshot, late: String
    ) throws(MAMError) -> Account? {
        guard case .named(let identity) = argument else { return nil }
        try checkKnown(argument, snapshot)
        let standing = snapshot.standing(of: identity)
        if let refusal = snapshot.refusal(of: identity, standing, late) { throw refusal }
        guard case .managed(let account) = standing else { return nil }
        if let problem = account.problem { throw problem }
        guard account.key != nil else { throw Session.hasNoKey }
        return account
    }

    /// An account that is managed has a key, or its state is not whole.
    static let hasNoKey = MAMError(.keyUnavailable, "the account has no data key")

    private func labelled(_ account: [UInt8], _ content: ContentType) -> Sealer {
        Sealer(account: account, kind: .labelled(state.labelKey), content: content)
    }

    /// What opens a container. A label that says personal while its owner is managed was made before it was: it may be read,
    /// but not where the caller is strict.
    public func opener(for header: ContainerHeader, isStrict: Bool = false) throws(MAMError) -> Opener {
        let (opener, owner) = try openerAndOwner(for: header, isStrict: isStrict)
        if let owner { try checkUnguarded(owner) }
        return opener
    }

    /// The same for who only reads a label, and whose account's key it is.
    func openerAndOwner(
        for header: ContainerHeader, isStrict: Bool = false
    ) throws(MAMError) -> (opener: Opener, owner: Account?) {
        if header.algorithm == 0 {
            if isStrict, try current().find(folded: Identity.fold(header.accountId))?.policy != nil {
                throw MAMError(
                    .authentication,
                    "the data is labelled as personal, but its owner is managed: it was made before, or elsewhere",
                    [("originalCode", 103)])
            }
            guard header.names(state.labelKey) else {
                throw unavailable(header, "another app group on this or another computer labelled it")
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
        try checkOpens(header.accountId, snapshot)
        throw unavailable(
            header,
            header.content == .file
                ? "it is a file that an app exported; mam_file_import (mamctl file import) takes it in"
                : "the account was wiped, or the data is another app's or computer's")
    }

    /// `mam_protection_info`.
    public func protectionInfo(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> JSON {
        let header = try Container.header(bytes)
        var isAuthenticated = false
        if let opener = try? openerAndOwner(for: header).opener {
            guard opener.verifies(bytes, header) else {
                throw MAMError(
                    .authentication, "the container's label does not verify: it was changed since it was made",
                    [("originalCode", 103)])
            }
            isAuthenticated = true
        }
        return [
            "accountId": .string(String(decoding: header.accountId, as: UTF8.self)),
            "encrypted": .bool(header.algorithm == 1),
            "authenticated": .bool(isAuthenticated), "algorithm": .integer(Int64(header.algorithm)),
            "contentType": .string(header.content.name), "keyId": .string(hexadecimal(header.keyId)),
            "epoch": .integer(Int64(header.epoch)), "length": .integer(Int64(try Container.plainLength(bytes, header))),
        ]
    }

    func unavailable(_ header: ContainerHeader, _ why: String) -> MAMError {
        let account = String(decoding: header.accountId, as: UTF8.self)
        let key = hexadecimal(header.keyId)
        return MAMError(
            .keyUnavailable,
            "data of \(account.isEmpty ? "no user" : account) needs key \(key), which is not here: \(why)",
            [("accountId", .string(account)), ("keyId", .string(key)), ("originalCode", 103)])
    }
}
