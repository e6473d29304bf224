import MAMPolicy
import MAMSupport

/// What launches would do to everybody in the cast, once the check-ins have brought what a scene gives them. Who is treated alike
/// is told together, who loses most first.
struct RehearsedLaunches {
    let cast: Cast
    let shelf: PolicyShelf
    let state: LaunchState

    /// What decides of a launch.
    private struct Standing: Hashable {
        let app: String
        let policies: [Int]
        let isDisabled: Bool
        let answer: RehearsedAnswer

        init(_ position: Position, app: String, wasDisabled: Bool) {
            (self.app, policies) = (app, position.inForce)
            isDisabled = position.delivers ? position.isDisabled : wasDisabled
            answer = position.delivers ? .grants : position.isKnown ? .withholds : .refuses
        }
    }

    private struct Turn: Hashable {
        let before, after: Standing?
    }

    /// The rows of the reply.
    func rows(from before: Act, to after: Act) -> [JSON] {
        var order: [Turn] = []
        var accounts: [Turn: [JSON]] = [:]
        for account in cast.accounts.indices {
            for (place, app) in cast.apps.enumerated() {
                let (old, new) = (before.holdings[account]?[place], after.holdings[account]?[place])
                guard let holding = new ?? old else { continue }
                let earlier = Position(old, kept: [])
                let later = Position(new, kept: earlier.inForce)
                let turn = Turn(
                    before: old == nil ? nil : Standing(earlier, app: app, wasDisabled: earlier.isDisabled),
                    after: Standing(later, app: app, wasDisabled: earlier.isDisabled))
                if accounts[turn] == nil { order.append(turn) }
                accounts[turn, default: []].append(holding.json(in: app))
            }
        }
        var policies: [[Int]: EffectivePolicy] = [:]
        func launch(_ standing: Standing?) -> RehearsedLaunch? {
            guard let standing else { return nil }
            let policy =
                policies[standing.policies]
                ?? EffectivePolicy(merging: standing.policies.map { shelf.documents[$0] })
            policies[standing.policies] = policy
            return policy.rehearse(state, app: standing.app, isDisabled: standing.isDisabled, answer: standing.answer)
        }
        let launches = order.map { turn in (turn: turn, before: launch(turn.before), after: launch(turn.after)) }
        let outcomes: [LaunchReport.Outcome?] = [.wiped, .blocked, .warned, .allowed, nil]
        return outcomes.flatMap { outcome in
            launches.filter { $0.after?.outcome == outcome }.map { one in
                [
                    "accounts": .array(accounts[one.turn] ?? []), "before": one.before?.json ?? .null,
                    "after": one.after?.json ?? .null,
                ] as JSON
            }
        }
    }
}

extension Holding {
    /// An account in an app, as replies name it.
    func json(in app: String) -> JSON {
        ["accountId": .string(accountId), "upn": .string(upn), "app": .string(app)]
    }
}
