import MAMPolicy
import MAMSupport

extension Account {
    /// Why it must be hidden.
    var blockReason: BlockReason {
        launchGuard?.reason
            ?? (isEnrolled && record.isDisabled && policy?.closesDisabledUser == true
                ? .conditionalLaunchBlocked : .notBlocked)
    }
}

extension Session {
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
