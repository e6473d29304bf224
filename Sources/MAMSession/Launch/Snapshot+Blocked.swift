import MAMPolicy
import MAMState
import MAMSupport

extension Account {
    /// The reason for which the account must be hidden.
    var blockReason: BlockReason { launchBlock?.reason ?? .notBlocked }
}

extension Snapshot {
    /// Every blocked account, as `mam_blocked_accounts` shows them.
    var blockedAccounts: JSON {
        func json(_ accountId: String?, _ upn: String?, _ reason: BlockReason) -> JSON {
            [
                "accountId": .optional(accountId), "upn": .optional(upn), "reason": .string(reason.name),
                "blockReason": .integer(Int64(reason.rawValue)),
            ]
        }
        let blocked = accounts.filter { $0.blockReason != .notBlocked }.map {
            json($0.record.accountId, $0.record.upn, $0.blockReason)
        }
        let leaving = wipes.filter { $0.step < .removed }.map {
            json($0.accountId.isEmpty ? nil : $0.accountId, $0.upn, .conditionalLaunchBlocked)
        }
        let unopenable = self.unopenable.compactMap(\.tag).map { json($0.accountId, $0.upn, .conditionalLaunchBlocked) }
        return .array(blocked + leaving + unopenable)
    }

    /// The reason for which the account of a name must be hidden.
    func blockReason(of identity: Identity) -> BlockReason {
        let isGone = wipe(of: identity) != nil || unopenable.contains { $0.tag?.isNamed(identity) ?? false }
        return isGone ? .conditionalLaunchBlocked : find(identity)?.blockReason ?? .notBlocked
    }
}
