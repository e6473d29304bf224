import MAMPolicy
import MAMState
import MAMSupport

/// The accounts whose policy a handle answers with: one, or several shown together.
public struct PolicySubject {
    /// The names as given. Names of one account may come to mean different accounts while the handle is held.
    let members: [AccountArgument]

    /// The subject of one account.
    public init(_ argument: AccountArgument) { members = [argument] }
    /// The subject of several accounts; of no account for null.
    public init(_ identities: IdentitySet) { members = identities.members ?? [] }

    /// A copy with the stable name of each account.
    func stable(_ snapshot: Snapshot) -> PolicySubject { PolicySubject(members: members.map(snapshot.stable)) }

    private init(members: [AccountArgument]) { self.members = members }

    /// The members that name an account.
    var names: [Identity] { members.compactMap(\.identity) }

    /// The only account, counting names of one account once; nil if there are several.
    func one(_ snapshot: Snapshot) -> AccountArgument? {
        guard members.count > 1 else { return members.first ?? .notGiven }
        let accounts = members.map { $0.identity.flatMap { name in snapshot.find(name)?.row.id } }
        guard let first = accounts[0], accounts.allSatisfy({ $0 == first }) else { return nil }
        return members[0]
    }
}

extension Session {
    /// The subject of the calling thread's effective identity in a window, as of now.
    public func currentSubject(_ window: Window) throws(MAMError) -> PolicySubject {
        PolicySubject(identities.effective(.ui, window, try current()))
    }
}
