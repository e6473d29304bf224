import MAMPolicy
import MAMSupport

/// Whose policy a handle answers with: one name's, or that of several shown together.
public struct PolicySubject {
    /// As they were given; what two names of one account mean can change while the handle is held.
    let members: [AccountArgument]

    /// One account's.
    public init(_ argument: AccountArgument) { members = [argument] }
    /// That of several; of null, nobody's.
    public init(_ identities: Identities) { members = identities.members ?? [] }

    /// The same, with each account by the name that stays its own.
    func stable(_ snapshot: Snapshot) -> PolicySubject { PolicySubject(members: members.map(snapshot.stable)) }

    private init(members: [AccountArgument]) { self.members = members }

    /// The accounts among them.
    var names: [Identity] { members.compactMap(\.identity) }

    /// The one it is of, with names of one account counted once; nil where they are several.
    func one(_ snapshot: Snapshot) -> AccountArgument? {
        guard members.count > 1 else { return members.first ?? .notGiven }
        let accounts = members.map { $0.identity.flatMap { name in snapshot.find(name)?.row.id } }
        guard let first = accounts[0], accounts.allSatisfy({ $0 == first }) else { return nil }
        return members[0]
    }
}

extension Session {
    /// Which side of a decision a subject is on: several accounts with a managed one among them are locked down, not merged.
    func side(of subject: PolicySubject, _ snapshot: Snapshot) -> Party {
        if let one = subject.one(snapshot) { return side(of: one, snapshot) }
        let isManaged = subject.members.contains { member in
            if case .managed = side(of: member, snapshot) { true } else { false }
        }
        return isManaged ? .lockedDown(.areSeveral) : .unmanaged
    }

    /// Whose policy is meant in a window: of whom the calling thread acts for now, whatever it does later.
    public func currentSubject(_ window: Window) throws(MAMError) -> PolicySubject {
        PolicySubject(effective(.ui, window, try current()))
    }
}
