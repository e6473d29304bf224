import MAMPolicy
import MAMSupport

/// Something that keeps an account from being shown.
struct LaunchFinding {
    let reason: BlockReason
    let message: String
}

extension Account {
    /// Why it must be hidden.
    var blockReason: BlockReason { isEnrolled && record.isDisabled ? .conditionalLaunchBlocked : .notBlocked }
}

extension Session {
    /// What stands against showing an account. Everything that shows one asks here, so that the checks of conditional launch
    /// have one place to come to; today only a disabled user and a wipe under way are found.
    func launchFindings(for identity: Identity, _ snapshot: Snapshot) -> [LaunchFinding] {
        if snapshot.wipe(of: identity) != nil {
            return [LaunchFinding(reason: .conditionalLaunchBlocked, message: "the account is being wiped")]
        }
        guard let account = snapshot.find(identity), account.blockReason != .notBlocked else { return [] }
        return [
            LaunchFinding(
                reason: account.blockReason,
                message: "the organisation has disabled the account; it works again when a check-in says so")
        ]
    }

    /// `mam_blocked_accounts`.
    public func blockedAccounts() throws(MAMError) -> JSON {
        .array(
            try current().accounts.filter { $0.blockReason != .notBlocked }.map { account in
                [
                    "accountId": .optional(account.record.accountId), "upn": .optional(account.record.upn),
                    "reason": .string(account.blockReason.name),
                    "blockReason": .integer(Int64(account.blockReason.rawValue)),
                ]
            })
    }

    /// `mam_blocked_reason`.
    public func blockedReason(_ argument: AccountArgument) throws(MAMError) -> Int32 {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        let account = argument.identity.flatMap { snapshot.find($0) }
        return (account?.blockReason ?? .notBlocked).rawValue
    }
}
