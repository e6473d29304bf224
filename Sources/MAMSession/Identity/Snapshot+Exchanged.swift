import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

/// An argument that a function takes beside an account, and that a host may exchange with it.
public struct ArgumentBesideAccount: Sendable {
    enum Kind {
        case path, data
        /// The name of a file system of SQLite, which hosts choose from the names of accounts.
        case vfs
    }

    let name: String
    let kind: Kind
    /// The text as a name; nil where no account can have it.
    let identity: Identity?

    init(_ name: String, _ kind: Kind, _ text: String?) {
        (self.name, self.kind, identity) = (name, kind, text.flatMap { try? Identity($0) })
    }

    /// A path.
    public static func path(_ path: FilePath, _ name: String = "path") -> ArgumentBesideAccount {
        ArgumentBesideAccount(name, .path, path.text)
    }

    /// Text that is no account's name where the arguments are in order: a path or a URL.
    public static func text(_ text: String, _ name: String) -> ArgumentBesideAccount {
        ArgumentBesideAccount(name, .path, text)
    }

    /// Data to protect; nil where it comes later.
    public static func data(_ data: UnsafeRawBufferPointer?, _ name: String = "data") -> ArgumentBesideAccount {
        guard let data, data.count <= Identity.maximumLength else { return ArgumentBesideAccount(name, .data, nil) }
        return ArgumentBesideAccount(name, .data, String(validating: data, as: UTF8.self))
    }
}

extension CurrentIdentities {
    /// Fails where an account was probably exchanged with an argument beside it.
    public func check(_ account: AccountArgument, beside others: ArgumentBesideAccount...) throws(MAMError) {
        let snapshot = try current()
        for other in others { try snapshot.checkNotExchanged(account, with: other) }
    }
}

extension Snapshot {
    /// Fails where a host has probably exchanged an account with the argument beside it: the account would be an unmanaged user, and
    /// its data in the clear. The texts are left out of the message, because the one given as account may be data.
    func checkNotExchanged(_ account: AccountArgument, with other: ArgumentBesideAccount) throws(MAMError) {
        let question = "were the two exchanged?"
        let owner = account.identity
        if let owner, owner.folded.contains(UInt8(ascii: "/")), isPartOfPath(owner) {
            // A person may have typed it.
            throw .argument(
                "account",
                "contains \"/\" as no name of an account does, and \(other.name) stands beside it; \(question)",
                originalCode: .invalidArguments, for: .errorUnknownName)
        }
        guard account != .notGiven, let name = other.identity else { return }
        if let owner, isSame(owner, name) { return }
        let isSuspicious =
            switch other.kind {
            // A file system may have the short name of its account.
            case .vfs: isKnownOrLooksLikeWork(name) && !isUPNWithoutDomain(name)
            case .path: isAccountName(name)
            // Text for a known name, or for no user, may be an address.
            case .data: owner.map { isPersonal($0) && !isRegisteredOnly(name) } ?? false && isAccountName(name)
            }
        guard isSuspicious else { return }
        let hint =
            switch other.kind {
            case .vfs: "name the file system after its account"
            case .path: "a file with such a name is \"./\" and the name"
            case .data: "mam_register_account makes the account's name known, if it is meant"
            }
        throw .argument(
            other.name, "is an account's name, but account names no such account; \(question) If not: \(hint)",
            originalCode: .invalidArguments)
    }

    /// Whether a name leads to another directory, and no account has it.
    func isPartOfPath(_ identity: Identity) -> Bool {
        let (name, dot) = (identity.folded, UInt8(ascii: "."))
        return (name.contains(UInt8(ascii: "/")) || name == [dot] || name == [dot, dot]) && !isAccountName(identity)
    }

    /// Whether a name is an account's of this app, was one's, or is registered.
    private func isAccountName(_ identity: Identity) -> Bool {
        switch status(of: identity) {
        case .managed, .wiping, .retired, .unmanaged: true
        case .closed: find(identity) != nil || unopenable.contains { $0.tag?.isNamed(identity) ?? false }
        case .unregisteredWorkName, .personal: false
        }
    }

    private func isPersonal(_ identity: Identity) -> Bool {
        if case .personal = status(of: identity) { true } else { false }
    }

    /// Whether the host registered a name without enrolling it, as it may do with a person's own.
    private func isRegisteredOnly(_ identity: Identity) -> Bool {
        if case .unmanaged(nil) = status(of: identity) { true } else { false }
    }
}
