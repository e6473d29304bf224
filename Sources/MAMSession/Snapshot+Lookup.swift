import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// Accounts, wipes and problems by name.
extension Snapshot {
    /// The account of a name.
    func find(_ identity: Identity) -> Account? { find(folded: identity.folded) }

    /// The account of a folded name.
    func find(folded name: [UInt8]) -> Account? {
        name.withUnsafeBufferPointer { accountIndex(named: $0) }.map { accounts[$0] }
    }

    /// The account that a host unenrolls or wipes by a name: the one that has the name now, else one that had it.
    func holder(of identity: Identity) -> Account? {
        let named = accounts.filter { $0.names.contains(identity.folded) }
        return named.first(where: \.isEnrolled) ?? named.first ?? find(identity)
    }

    /// The index in ``accounts`` of a name's account: the one that has the name now, else one that had it. A mere registration,
    /// which the authority has not confirmed, does not take a name from an account that had it; an enrolled account takes it from
    /// one that has left.
    func accountIndex(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        var holder: Int?
        for index in accounts.indices where accounts[index].isNamed(name) && !accounts[index].isForgotten {
            if accounts[index].isEnrolled { return index }
            if holder == nil { holder = index }
        }
        if let holder, accounts[holder].state != .registered { return holder }
        return accounts.firstIndex { $0.wasNamed(name) } ?? holder
    }

    /// The open wipe of a name whose data is still to be removed.
    func wipe(of identity: Identity) -> WipeEntry? {
        wipes.first { entry in
            entry.step < .removed && entry.isOf(identity)
        }
    }

    /// The error for a name without an open account: its own account is closed, or a closed account has no known names.
    func problem(of identity: Identity) -> MAMError? {
        unopenable.first { $0.tag?.isNamed(identity) ?? true }?.error
    }

    /// Every account whose data stays closed, with the reason; without a tag where its names are lost.
    var problems: [(id: AccountRowID, tag: AccountTag?, error: MAMError)] {
        unopenable.map { ($0.id, $0.tag, $0.error) }
            + accounts.compactMap { account in
                account.problem.map { (account.row.id, AccountTag(account.record), $0) }
            }
    }

    /// Whether an account is enrolled, or cannot be read.
    func mayBeEnrolled(_ id: AccountRowID) -> Bool {
        accounts.contains { $0.isEnrolled && $0.row.id == id } || unopenable.contains { $0.id == id }
    }

    /// Whether any account is enrolled, or closed; unmanaged data is labelled then. The names of a closed one are refused by themselves.
    var isManaging: Bool { accounts.contains { $0.isEnrolled } || !unopenable.isEmpty }
}
