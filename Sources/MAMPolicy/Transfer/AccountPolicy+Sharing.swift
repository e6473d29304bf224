import MAMSupport

extension AccountPolicy {
    /// Decides whether this account's data may be shared with a target.
    ///
    /// docs/transfer.md "Share targets".
    public func share(with target: ShareTarget) -> Decision {
        let action = RefusedAction("Sharing is refused", .refusedShare)
        let (relation, why): (Relation, String) =
            if case .managed(let accountId, let tenant, _) = self {
                target.relation(to: accountId, tenant)
            } else {
                (.unmanaged, "")
            }
        let isScheme = if case .managedScheme = target.program { true } else { false }
        let mine = policy?.refusal(
            RefusalQuery(
                action: action, settings: [.shareFilter, .outbound],
                context: { setting, level in
                    switch setting {
                    case .shareFilter: " and a scheme is on no list of managed apps"
                    case .outbound where level == "managedApps": why.isEmpty ? "" : " and \(why)"
                    default: ""
                    }
                },
                allows: { rules in
                    let isFiltered = isScheme && rules.isShareFiltered && rules.outbound.isWithinOrganisation
                    return rules.outbound.permits(relation) && !isFiltered
                }))
        return Decision(
            .both(mine, AccountPolicy.intake(of: target.peer, self.relation(to: target.peer), action)))
    }
}
