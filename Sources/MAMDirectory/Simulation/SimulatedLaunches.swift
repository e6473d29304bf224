import MAMPolicy
import MAMSupport

/// The outcome of launches before and after the changes, once check-ins have delivered. Accounts with the same outcome share a
/// row; the most severe outcome comes first.
struct SimulatedLaunches {
    let scope: SimulationScope
    let pool: PolicyPool
    let state: LaunchState

    /// The facts that decide the outcome of a launch.
    private struct LaunchInput: Hashable {
        let app: String
        let policies: [Int]
        let isDisabled: Bool
        let answer: SimulatedAnswer

        init(_ state: AccountState, app: String, wasDisabled: Bool) {
            (self.app, policies) = (app, state.inForce)
            isDisabled = state.delivers ? state.isDisabled : wasDisabled
            answer = state.delivers ? .grants : state.isKnown ? .withholds : .refuses
        }
    }

    private struct LaunchTransition: Hashable {
        let before, after: LaunchInput?
    }

    /// "launches" of the reply.
    func rows(from before: Deliveries, to after: Deliveries) -> [JSON] {
        var order: [LaunchTransition] = []
        var accounts: [LaunchTransition: [JSON]] = [:]
        for account in scope.accounts.indices {
            for (index, app) in scope.apps.enumerated() {
                let (old, new) = (before.byAccount[account]?[index], after.byAccount[account]?[index])
                guard let delivery = new ?? old else { continue }
                let earlier = AccountState(old, former: [])
                let later = AccountState(new, former: earlier.inForce)
                let transition = LaunchTransition(
                    before: old == nil ? nil : LaunchInput(earlier, app: app, wasDisabled: earlier.isDisabled),
                    after: LaunchInput(later, app: app, wasDisabled: earlier.isDisabled))
                if accounts[transition] == nil { order.append(transition) }
                accounts[transition, default: []].append(delivery.json(in: app))
            }
        }
        var policies: [[Int]: EffectivePolicy] = [:]
        func launch(_ input: LaunchInput?) -> SimulatedLaunch? {
            guard let input else { return nil }
            let policy =
                policies[input.policies] ?? EffectivePolicy(merging: input.policies.map { pool.documents[$0] })
            policies[input.policies] = policy
            return policy.simulate(state, app: input.app, isDisabled: input.isDisabled, answer: input.answer)
        }
        let launches = order.map { transition in
            (transition: transition, before: launch(transition.before), after: launch(transition.after))
        }
        let outcomes: [LaunchReport.Outcome?] = [.wiped, .blocked, .warned, .allowed, nil]
        return outcomes.flatMap { outcome in
            launches.filter { $0.after?.outcome == outcome }.map { launch in
                [
                    "accounts": .array(accounts[launch.transition] ?? []),
                    "before": launch.before?.json(in: .process) ?? .null,
                    "after": launch.after?.json(in: .process) ?? .null,
                ] as JSON
            }
        }
    }
}

extension Delivery {
    /// An account in an app, as replies name it.
    func json(in app: String) -> JSON {
        ["accountId": .string(accountId), "upn": .string(upn), "app": .string(app)]
    }
}
