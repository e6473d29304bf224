import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

/// "withoutPolicy" against what check-ins would be given before and after: several policies, groups and apps, changed at random.
@Suite("a check-in brings no policy any more to the users without any")
struct LostPolicyModelTests {
    private static let users = (0..<6).map { "u\($0)" }
    private static let groups = (0..<3).map { "G\($0)" }
    private static let policies = (0..<3).map { "p\($0)" }
    private static let apps = (0..<3).map { "com.example.a\($0)" }
    /// Stands for every app that the authority has not met.
    private static let unmet = "com.example.unmet"

    /// A number below a bound.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }

        mutating func one(_ names: [String]) -> JSON { .string(names[roll(names.count)]) }
    }

    private func change(_ dice: inout Dice) -> JSON {
        let policy = dice.one(Self.policies)
        let (user, group) = (dice.one(Self.users), dice.one(Self.groups))
        let isExclusion = JSON.bool(dice.roll(3) == 0)
        switch dice.roll(10) {
        case 0: return ["action": "policy.assign", "policy": policy, "allUsers": true]
        case 1: return ["action": "policy.unassign", "policy": policy, "allUsers": true]
        case 2, 3: return ["action": "policy.assign", "policy": policy, "group": group, "exclude": isExclusion]
        case 4: return ["action": "policy.unassign", "policy": policy, "group": group, "exclude": isExclusion]
        case 5: return ["action": "policy.target", "policy": policy, "app": dice.one(Self.apps)]
        case 6: return ["action": "policy.untarget", "policy": policy, "app": dice.one(Self.apps)]
        case 7:
            return [
                "action": dice.roll(2) == 0 ? "policy.target" : "policy.untarget", "policy": policy, "allApps": true,
            ]
        case 8: return ["action": "group.addMember", "group": group, "user": user]
        default: return ["action": "group.removeMember", "group": group, "user": user]
        }
    }

    /// The users whom policies reach in each app.
    private func reached(_ fixture: AuthorityFixture) throws -> [String: Set<String>] {
        let store = try AuthorityFile(path: fixture.path).openReadOnly()
        var reached: [String: Set<String>] = [:]
        for name in Self.users {
            guard let user = try store.user(named: Identity(name)) else { continue }
            for app in Self.apps + [Self.unmet]
            where try !store.policies(of: user, app: AppFacts(id: app, version: nil)).isEmpty {
                reached[app, default: []].insert(name)
            }
        }
        return reached
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func model(_ seed: UInt64) throws {
        let fixture = try AuthorityFixture(empty: true)
        for name in Self.users {
            try fixture.perform("user.add", ["upn": .string("\(name)@contoso.example"), "accountId": .string(name)])
        }
        for group in Self.groups { try fixture.perform("group.add", ["name": .string(group)]) }
        for (policy, app) in zip(Self.policies, Self.apps) {
            try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: policy)])
            try fixture.perform("policy.target", ["policy": .string(policy), "app": .string(app)])
        }
        var dice = Dice(state: seed)
        var losses = 0
        for _ in 0..<60 {
            let request = change(&dice)
            let before = try reached(fixture)
            let known = try fixture.perform("app.list")["apps"]?.array?.compactMap { $0["id"]?.string } ?? []
            let reply: JSON
            // Some changes are refused, such as an exclusion that is taken back as an assignment.
            do { reply = try fixture.perform(request) } catch { continue }
            let after = try reached(fixture)
            let lost = (Self.apps + [Self.unmet]).map { (before[$0] ?? []).subtracting(after[$0] ?? []) }
            let users = lost.reduce(into: Set()) { $0.formUnion($1) }.sorted()
            let told = reply["withoutPolicy"]
            let what = "\(seed): \(request.text): \(told?.text ?? "nothing")"
            #expect((told?["users"]?.array ?? []) == users.map { .string("\($0)@contoso.example") }, "\(what)")
            guard let told, !users.isEmpty else { continue }
            losses += 1
            // An app that nothing named before is one of the others.
            let named = zip(Self.apps, lost).filter { known.contains($0.0) && !$0.1.isEmpty }
            let counts = zip((told["apps"]?.array ?? []).compactMap(\.string), told["appUserCounts"]?.array ?? [])
            #expect(
                Dictionary(uniqueKeysWithValues: counts.map { ($0, $1) })
                    == Dictionary(uniqueKeysWithValues: named.map { ($0, .integer(Int64($1.count))) }), "\(what)")
            #expect(told["otherAppsUserCount"] == .integer(Int64(lost[Self.apps.count].count)), "\(what)")
            #expect(told["otherApps"] == .bool(!lost[Self.apps.count].isEmpty), "\(what)")
        }
        #expect(losses > 0, "the seed \(seed) takes no policy away")
    }
}
