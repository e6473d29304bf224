import MAMPolicy
import MAMSupport

extension Account {
    /// Why it must be hidden.
    var blockReason: BlockReason {
        launchGuard?.reason ?? .notBlocked
    }
}

extension Session {
    /// `mam_blocked_accounts`.
    public func blockedAccounts() throws(MAMError) -> JSON {
        let snapshot = try current()
        let accounts = snapshot.accounts.filter { $0.blockReason != .notBlocked }.map {
            Session.json($0.record.accountId, $0.record.upn, $0.blockReason)
        }
        let leaving = snapshot.wipes.filter { $0.step < .removed }.map {
            Session.json($0.accountId.isEmpty ? nil : $0.accountId, $0.upn, .conditionalLaunchBlocked)
        }
        let closed = snapshot.closed.compactMap(\.tag).map {
            Session.json($0.accountId, $0.upn, .conditionalLaunchBlocked)
        }
        return .array(accounts + leaving + closed)
    }

    private static func json(_ accountId: String?, _ upn: String?, _ reason: BlockReason) -> JSON {
        [
            "accountId": .optional(accountId), "upn": .optional(upn), "reason": .string(reason.name),
            "blockReason": .integer(Int64(reason.rawValue)),
        ]
    }

    /// `mam_blocked_reason`.
    public func blockedReason(_ argument: AccountArgument) throws(MAMError) -> Int32 {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        guard let identity = argument.identity else { return BlockReason.notBlocked.rawValue }
        let isGone =
            snapshot.wipe(of: identity) != nil || snapshot.closed.contains { $0.tag?.isNamed(identity) ?? false }
        let reason = isGone ? .conditionalLaunchBlocked : snapshot.find(identity)?.blockReason ?? .notBlocked
        return reason.rawValue
    }
}
