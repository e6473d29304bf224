import MAMPolicy
import MAMSupport

/// Everybody's holdings before and after, and what differs. Who goes from the same to the same is told together.
struct Comparison {
    let cast: Cast
    let shelf: PolicyShelf
    let before, after: Act

    /// Most bytes that the changes fill: beyond that nobody reads them.
    private static let longestReply = 64 << 20

    /// An account in an app.
    private struct Seat {
        let holding: Holding
        let app: String

        var json: JSON { holding.json(in: app) }
    }

    /// The reply.
    func json(warnings: [JSON], launch: LaunchState?) throws(MAMError) -> JSON {
        let (passages, seats) = passages()
        var verdict = SettingChange.Verdict.same
        var changes: [JSON] = []
        var counts = Counts()
        let launches = launch.map {
            RehearsedLaunches(cast: cast, shelf: shelf, state: $0).rows(from: before, to: after)
        }
        var length = launches.map { JSON.array($0).utf8.count } ?? 0
        try Comparison.check(length)
        for passage in passages {
            guard let seats = seats[passage],
                let change = PassageChange(passage, cast.questions, cast.device, shelf)
            else { continue }
            verdict = verdict.with(change.verdict)
            counts.add(change, times: Int64(seats.count))
            let json = change.json(accounts: seats.map(\.json))
            length += json.utf8.count
            try Comparison.check(length)
            changes.append(json)
        }
        return [
            "verdict": .string(verdict.rawValue),
            "compared": [
                "users": .integer(Int64(cast.accounts.count)), "apps": .integer(Int64(cast.apps.count)),
                "requests": .integer(Int64(cast.questions.count)),
            ],
            "counts": counts.json, "warnings": .array(warnings), "launches": launches.map(JSON.array) ?? .null,
            "changes": .array(changes),
        ]
    }

    private static func check(_ length: Int) throws(MAMError) {
        guard length <= longestReply else {
            throw .argument(
                "users", "what changes fills more than \(longestReply >> 20) MiB; name fewer users, apps or requests")
        }
    }

    /// The passages that are not from something to the same, in the order of their first seats.
    private func passages() -> ([Passage], [Passage: [Seat]]) {
        var order: [Passage] = []
        var seats: [Passage: [Seat]] = [:]
        for (account, key) in cast.accounts.enumerated() {
            for (place, app) in cast.apps.enumerated() {
                let (old, new) = (before.holdings[account]?[place], after.holdings[account]?[place])
                guard let holding = new ?? old else { continue }
                let earlier = Position(old, kept: [])
                let later = Position(new, kept: earlier.inForce)
                let passage = Passage(
                    before: earlier, after: later,
                    othersBefore: others(before, as: old, key, place, kept: nil),
                    othersAfter: others(after, as: new ?? old, key, place, kept: before))
                guard !passage.isNone else { continue }
                if seats[passage] == nil { order.append(passage) }
                seats[passage, default: []].append(Seat(holding: holding, app: app))
            }
        }
        return (order, seats)
    }

    /// How the accounts that requests name stand to an account in an app.
    private func others(
        _ act: Act, as own: Holding?, _ account: [UInt8], _ place: Int, kept earlier: Act?
    ) -> [Passage.Other] {
        act.named.indices.map { index in
            let (now, then) = (act.named[index], earlier?.named[index])
            guard let other = now ?? then else { return .unmanaged }
            if other.account == account { return .sameAccount }
            // A name can come to mean another account.
            let kept = then?.account == other.account ? Position(then?.holdings[place], kept: []).inForce : []
            let policies = Position(now?.holdings[place], kept: kept).inForce
            guard !policies.isEmpty else { return .unmanaged }
            let (mine, theirs) = (own?.tenantId ?? "", other.holdings[place].tenantId)
            return .managed(
                policies, isSameTenant: !mine.isEmpty && Identity.fold(mine) == Identity.fold(theirs))
        }
    }

    /// How many users in apps, and how many of their answers.
    private struct Counts {
        private var accounts: Int64 = 0
        private var effects: [PassageChange.Effect: Int64] = [:]
        private var decisions: [DecisionChange.Direction: Int64] = [:]

        mutating func add(_ change: PassageChange, times: Int64) {
            accounts += times
            effects[change.effect, default: 0] += times
            for decision in change.decisions { decisions[decision.direction, default: 0] += times }
        }

        var json: JSON {
            .object(
                [("accounts", .integer(accounts))]
                    + PassageChange.Effect.allCases.map { ($0.rawValue, .integer(effects[$0] ?? 0)) }
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
