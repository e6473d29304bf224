import MAMPolicy
import MAMState
import MAMSupport

/// Questions about names.
extension CurrentIdentities {
    /// `mam_identity_equal`.
    public func isEqual(_ a: AccountArgument, _ b: AccountArgument) throws(MAMError) -> Bool {
        if a == b { return true }
        guard let x = a.identity, let y = b.identity else { return false }
        return try current().isSame(x, y)
    }

    /// `mam_is_account_managed`. An unknown name is not managed, also where the session refuses such names.
    public func isManaged(_ argument: AccountArgument) throws(MAMError) -> Bool {
        let snapshot = try current()
        if case .managed = snapshot.accountPolicy(of: argument) { return true }
        return false
    }

    /// `mam_is_management_enabled`: whether policy is applied or required.
    public func isManagementEnabled() throws(MAMError) -> Bool {
        let snapshot = try current()
        return snapshot.isPolicyApplied || snapshot.settings.bool(SettingKey.policyRequired)
    }

    /// `mam_policy_source`.
    public func policySource() throws(MAMError) -> Int32 { try current().policySource.rawValue }
}

/// The sources of policy, with the numbers of mam.h.
enum PolicySource: Int32 {
    case mdm = 0, mam, other, test

    /// The name in telemetry.
    var name: String { "\(self)" }
}

extension Snapshot {
    /// Where policy comes from. This version takes none from a device's management.
    var policySource: PolicySource {
        accounts.contains(where: \.isTest) ? .test : isPolicyApplied ? .mam : .other
    }

    /// Whether a policy applies to any account of the app.
    fileprivate var isPolicyApplied: Bool {
        accounts.contains { $0.policy != nil } || wipes.contains { $0.step < .removed } || !unopenable.isEmpty
    }

    /// The object id of a known account, else the name as it was given.
    func shownName(of argument: AccountArgument) -> String {
        guard let identity = argument.identity else { return "" }
        return find(identity)?.accountId ?? identity.text
    }

    /// Identities as mam.h shows them: null, a name, or an array of names.
    func json(_ identities: IdentitySet) -> JSON {
        guard let members = identities.members else { return .null }
        let names = members.map { JSON.string(shownName(of: $0)) }
        return names.count == 1 ? names[0] : .array(names)
    }

    /// Whether the account of a name was managed in an earlier snapshot and is not any more.
    func hasLost(_ identity: Identity, since old: Snapshot) -> Bool {
        // Registered and wiped by another process: its row is gone.
        if let account = old.find(identity), !accounts.contains(where: { $0.row.id == account.row.id }) {
            if find(identity) == nil, wipe(of: identity) == nil { return true }
        }
        guard case .managed = old.accountPolicy(of: .named(identity)) else { return false }
        // Its data stays closed where it was closed before, so that its name is not simply unmanaged.
        if old.find(identity)?.isEnrolled ?? false, find(identity)?.state == .unenrolled { return true }
        guard case .unmanaged = accountPolicy(of: .named(identity)) else { return false }
        // An enrolled account may be without a policy for a while.
        return !(find(identity)?.isEnrolled ?? false)
    }
}

extension Account {
    /// Whether it has, or had, a name.
    func hasName(_ identity: Identity) -> Bool { (names + formerNames).contains(identity.folded) }
}
