import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

/// A name in a label or in the index: of an account of this app, or any other, folded; empty for no user.
enum FileHolder: Equatable {
    case account(AccountRowID)
    case name([UInt8])
}

/// The accounts that own files.
extension Snapshot {
    /// Returns the holder of a name in a label or in the index.
    func fileHolder(named name: [UInt8]) -> FileHolder {
        let folded = Identity.fold(name)
        return find(folded: folded).map { .account($0.row.id) } ?? .name(folded)
    }

    /// Whether the account that a file names is an account of this app.
    func isOfThisApp(_ owner: FileOwnership) -> Bool { owner.app == Array(opened.managedApp.utf8) }

    /// Returns the accounts that own a file; nil where one of them was wiped, its name is retired, or the label says that it was
    /// managed and it was never managed here. A foreign label does not verify, and counts because it restricts.
    func accounts(owning file: FileOwnership) throws(MAMError) -> [Account]? {
        guard file.isAuthenticated || file.isManaged || file.disagreement == .attributeForeign, isOfThisApp(file)
        else { return [] }
        if isLeftByWipe(file) || isOfUnknownAccount(file) { return nil }
        let names = try self.names.get()
        var owners: [Account] = []
        for name in [file.account, file.indexed] {
            guard let name, let identity = try? Identity(String(decoding: name, as: UTF8.self)) else { continue }
            if let account = find(identity) {
                if let problem = account.problem { throw problem }
                owners.append(account)
            } else if let problem = problem(of: identity) {
                throw problem
            } else if wipe(of: identity) != nil || names.isRetired(identity.folded) {
                return nil
            }
        }
        return owners
    }

    /// Whether the label of a file or of its directory names a managed account of this app that was never managed here: the state was
    /// lost, or an older one was put back, or the file comes from another computer. A sign-in that failed changes nothing.
    func isOfUnknownAccount(_ file: FileOwnership) -> Bool {
        guard file.isManaged, isOfThisApp(file), let name = file.account, !name.isEmpty else { return false }
        guard let identity = try? Identity(String(decoding: name, as: UTF8.self)) else { return true }
        if let account = find(identity) { return account.policy == nil && !account.wasManaged }
        guard problem(of: identity) == nil, wipe(of: identity) == nil else { return false }
        return (try? names.get())?.isRetired(identity.folded) == false
    }

    /// Fails for an account that is not known here.
    func checkIsKnown(_ file: FileOwnership?, _ path: String) throws(MAMError) {
        if let file, isOfUnknownAccount(file) { throw accountHasLeft(file, path) }
    }

    /// The error for data of an account that has left. `clause` is what the host can do.
    func accountHasLeft(_ file: FileOwnership, _ path: String, _ clause: String? = nil) -> MAMError {
        let place = file.source == .directory ? "is in a directory of" : "is data of"
        guard isOfUnknownAccount(file) else {
            return .file(
                .notEnrolled, path,
                "\(place) an account that was wiped or unenrolled" + (clause.map { "; \($0)" } ?? ""),
                for: .errorAccountRemoved)
        }
        let name = String(decoding: file.account ?? [], as: UTF8.self)
        let label = file.source == .directory ? "the label of its directory" : "its label"
        return .file(
            .notEnrolled, path,
            "\(place) an account that this app does not know: \(label) names \(name), and comes from another computer or from"
                + " a state that was lost; sign in to that account again, or restore a backup of the state",
            [("owner", .string(name)), ("disagreement", .optional(file.disagreement?.rawValue))], for: .errorNotEnrolled
        )
    }

    /// Whether a wipe is still to remove a file, though its account may have been enrolled again.
    func isLeftByWipe(_ file: FileOwnership) -> Bool {
        guard let row = file.row else { return false }
        return wipes.contains { $0.account == row }
    }

    /// Fails where a plain file belongs to an account that is closed, was wiped or is retired.
    func checkReadable(_ file: FileOwnership, _ path: FilePath, _ screen: ScreenLock) throws(MAMError) {
        guard let owners = try accounts(owning: file) else { throw accountHasLeft(file, path.text) }
        for owner in owners { try owner.checkReadable(screen) }
    }

    /// Fails where an owner of a file has left, or is being wiped: nothing takes the protection off its data, which is readable as
    /// long as its keys are here.
    func checkReleasable(_ owners: [Account], named names: [Identity], _ path: String) throws(MAMError) {
        let left = owners.first(where: \.hasLeft)
        let isRetired = names.contains {
            switch status(of: $0) {
            case .retired, .wiping: true
            default: false
            }
        }
        guard left != nil || isRetired else { return }
        throw .file(
            .notEnrolled, path,
            "is data of an account that was wiped or unenrolled: nothing releases it until the account is registered again"
                + " (mam_register_and_enroll, mam_login_and_enroll); what is readable is read here",
            [("owner", .optional(left?.accountId ?? names.first?.text))], for: .errorAccountRemoved)
    }

    /// Returns the name of the managed account that owns a file. Attribute and index must agree; without them the content decides.
    func managedName(of owner: FileOwnership) -> [UInt8]? {
        let isOurs = owner.isAuthenticated && isOfThisApp(owner)
        guard owner.disagreement == nil, isOurs || owner.source == .content, let name = owner.account,
            let identity = try? Identity(String(decoding: name, as: UTF8.self)), find(identity)?.policy != nil
        else { return nil }
        return name
    }

    /// Whether the authenticated owner of a file is a managed account other than the receiver.
    func isOfAnother(_ known: FileOwnership, than receiver: AccountArgument) -> Bool {
        guard known.isAuthenticated, let owner = known.account.flatMap({ find(folded: Identity.fold($0)) })
        else { return false }
        return owner.wasManaged && receiver.identity.flatMap { find($0) } !== owner
    }

    /// Returns the label for files of a name, even if no new data may be stored for it.
    func label(of argument: AccountArgument) -> Owner {
        let account = argument.identity.flatMap { find($0) }
        let isManaged = account?.policy != nil || account?.wasManaged == true
        let name = isManaged ? account?.accountId : argument.text
        let isBackedUp = answer(.backup, of: accountPolicy(of: argument))
        return Owner(
            account: account?.row.id, name: Array((name ?? "").utf8), app: Array(opened.managedApp.utf8),
            isManaged: isManaged, isNotBackedUp: !isBackedUp)
    }

    private static let notPersonal = "its files are not made as personal ones"

    /// Returns the managed account that owns new files of a name; nil for no user and for a personal account.
    func managedFileOwner(of argument: AccountArgument) throws(MAMError) -> Account? {
        try managedOwner(of: argument, refusalClause: Snapshot.notPersonal)
    }

    /// Fails for a name that may not own files.
    func checkFileOwner(_ argument: AccountArgument) throws(MAMError) {
        try checkName(argument, refusalClause: Snapshot.notPersonal)
    }
}
