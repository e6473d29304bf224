import MAMPolicy
import MAMSupport

/// Compares deliveries before and after the changes. Accounts with the same transition share one entry of the reply.
struct SimulationComparison {
    let scope: SimulationScope
    let pool: PolicyPool
    let before, after: Deliveries

    private static let maximumReply = 64 << 20  // bytes of changes

    private struct AccountInApp {
        let delivery: Delivery
        let app: String

        var json: JSON { delivery.json(in: app) }
    }

    /// The reply of `mam_policy_simulate`.
    func json(warnings: [JSON], launch: LaunchState?) throws(MAMError) -> JSON {
        let (transitions, accounts) = transitions()
        var verdict = SettingChange.Verdict.same
        var changes: [JSON] = []
        var counts = Counts()
        let launches = launch.map {
            SimulatedLaunches(scope: scope, pool: pool, state: $0).rows(from: before, to: after)
        }
        var length = launches.map { JSON.array($0).utf8.count } ?? 0
        try SimulationComparison.check(length)
        for transition in transitions {
            guard let accounts = accounts[transition],
                let change = TransitionReport(transition, scope.requests, scope.device, pool)
            else { continue }
            verdict = verdict.with(change.verdict)
            counts.add(change, times: Int64(accounts.count))
            let json = change.json(accounts: accounts.map(\.json))
            length += json.utf8.count
            try SimulationComparison.check(length)
            changes.append(json)
        }
        return [
            "verdict": .string(verdict.rawValue),
            "compared": [
                "users": .integer(Int64(scope.accounts.count)), "apps": .integer(Int64(scope.apps.count)),
                "requests": .integer(Int64(scope.requests.count)),
            ],
            "counts": counts.json, "warnings": .array(warnings), "launches": launches.map(JSON.array) ?? .null,
            "changes": .array(changes),
        ]
    }

    private static func check(_ length: Int) throws(MAMError) {
        guard length <= maximumReply else {
            throw .argument(
                "users", "what changes fills more than \(maximumReply >> 20) MiB; name fewer users, apps or requests")
        }
    }

    /// The transitions that change something, in the order of their first accounts, and the accounts of each.
    private func transitions() -> ([Transition], [Transition: [AccountInApp]]) {
        var order: [Transition] = []
        var accounts: [Transition: [AccountInApp]] = [:]
        for (account, key) in scope.accounts.enumerated() {
            for (index, app) in scope.apps.enumerated() {
                let (old, new) = (before.byAccount[account]?[index], after.byAccount[account]?[index])
                guard let delivery = new ?? old else { continue }
                let earlier = AccountState(old, former: [])
                let later = AccountState(new, former: earlier.inForce)
                let transition = Transition(
                    before: earlier, after: later,
                    othersBefore: others(before, seenBy: old, key, app: index, former: nil),
                    othersAfter: others(after, seenBy: new ?? old, key, app: index, former: before))
                guard !transition.isUnchanged else { continue }
                if accounts[transition] == nil { order.append(transition) }
                accounts[transition, default: []].append(AccountInApp(delivery: delivery, app: app))
            }
        }
        return (order, accounts)
    }

    /// The accounts that requests name, as an account sees them in an app.
    private func others(
        _ deliveries: Deliveries, seenBy own: Delivery?, _ account: [UInt8], app: Int, former: Deliveries?
    ) -> [Transition.Other] {
        deliveries.byOtherAccount.indices.map { index in
            let (now, then) = (deliveries.byOtherAccount[index], former?.byOtherAccount[index])
            guard let other = now ?? then else { return .unmanaged }
            if other.account == account { return .sameAccount }
            // The changes may give the name to another account, which has no former policies.
            let kept = then?.account == other.account ? AccountState(then?.deliveries[app], former: []).inForce : []
            let policies = AccountState(now?.deliveries[app], former: kept).inForce
            guard !policies.isEmpty else { return .unmanaged }
            let (mine, theirs) = (own?.tenantId ?? "", other.deliveries[app].tenantId)
            return .managed(
                policies, isSameTenant: !mine.isEmpty && Identity.fold(mine) == Identity.fold(theirs))
        }
    }

    /// "counts" of the reply: pairs of account and app by effect, and their decisions by direction.
    private struct Counts {
        private var accounts: Int64 = 0
        private var effects: [TransitionReport.Effect: Int64] = [:]
        private var decisions: [DecisionChange.Direction: Int64] = [:]

        mutating func add(_ change: TransitionReport, times: Int64) {
            accounts += times
            effects[change.effect, default: 0] += times
            for decision in change.decisions { decisions[decision.direction, default: 0] += times }
        }

        var json: JSON {
            .object(
                [("accounts", .integer(accounts))]
                    + TransitionReport.Effect.allCases.map { ($0.rawValue, .integer(effects[$0] ?? 0)) }
                    + [
                        (
                            "decisions",
                            .object(
                                DecisionChange.Direction.allCases.map {
                                    ($0.rawValue, .integer(decisions[$0] ?? 0))
                                })
                        )
                    ])
        }
    }
}
