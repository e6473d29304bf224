import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// The differences between two snapshots that are reported to the host.
extension Snapshot {
    /// Accounts whose UPN changed, with the former one.
    func renames(since old: Snapshot) -> [(account: NamedAccount, formerUPN: String)] {
        accounts.compactMap { account in
            guard let former = old.accounts.first(where: { $0.row.id == account.row.id })?.record.upn,
                let upn = account.record.upn, former != upn
            else { return nil }
            return (account.named, former)
        }
    }

    /// The events that report a change of policy, protection or configuration, and their accounts.
    func changes(since old: Snapshot) -> [(name: EventName, account: NamedAccount)] {
        var events: [(name: EventName, account: NamedAccount)] = []
        func policy(_ account: Account?) -> JSON? {
            account.flatMap { a in a.policy.map { $0.json(accountId: a.accountId) } }
        }
        func encrypts(_ account: Account?) -> Bool? {
            account.flatMap { a in a.policy.map { _ in a.ownAccountPolicy.encryptsFiles } }
        }
        /// Whether a newer key seals the account's data.
        func isRotated(_ before: Account?, _ account: Account) -> Bool {
            guard account.policy != nil, let former = before?.key, let key = account.key else { return false }
            return former.epoch != key.epoch
        }
        for account in accounts {
            let before = old.accounts.first { $0.row.id == account.row.id }
            if policy(before) != policy(account) { events.append((.policyDidChange, account.named)) }
            if encrypts(before) != encrypts(account) || isRotated(before, account) {
                events.append((.dataProtectionDidChange, account.named))
            }
            let isOfDevice = before.map { before in
                before.isEnrolled && account.isEnrolled
                    && old.device.configuration(for: before) != device.configuration(for: account)
            }
            if before?.configurations ?? .none != account.configurations || isOfDevice == true {
                events.append((.appConfigDidChange, account.named))
            }
        }
        for account in old.accounts where !accounts.contains(where: { $0.row.id == account.row.id }) {
            if account.policy != nil { events.append((.policyDidChange, account.named)) }
            if !account.configurations.isEmpty { events.append((.appConfigDidChange, account.named)) }
        }
        return events
    }
}
