import MAMSupport
import Testing

@testable import MAMPolicy

/// Properties of launches over random policies. `make soak` tests each with 100,000 (MAM_CASES).
@Suite("laws of launches")
struct LaunchLawTests {
    private static let clauses: [[String]] = [
        ["system 24.04", "system 1.0", "system 99", "system -", "system rolling"], ["app 2.0", "app 0.1", "app -"],
        ["libmam 0.1.0", "libmam 0.0.1"], ["model ThinkPad T14", "model -"],
        ["lock on", "lock off", "lock none", "lock unknown"],
        ["health ok", "health fail", "health unknown", "health -"],
        ["threat -", "threat secured", "threat low", "threat medium", "threat high"],
        ["offline PT0S", "offline PT1H", "offline P2D", "offline P400D", "offline never"],
        ["work -", "work working", "work out PT1M", "work out P9D"], ["nothing", "signedIn"],
        ["nothing", "mustSignIn"],
        ["nothing", "disabled"], ["nothing", "nothing", "nothing", "closed"],
    ]

    private static func facts(_ random: inout Seeded) throws -> LaunchFacts {
        let said = clauses.map { random.one(of: $0) }.filter { $0 != "work -" }
        var facts = try LaunchFacts(said.joined(separator: ", "))
        facts.pin = random.one(of: LaunchFacts.PINPrompt.allCases)
        return facts
    }

    private static func look(_ policy: EffectivePolicy, _ facts: LaunchFacts) -> LaunchReport.Account {
        var facts = facts
        if policy.pinRule == nil { facts.pin = .nothing }  // no PIN is required
        return policy.launchFindings(facts)
    }

    /// The severity; 0 for no finding.
    private static func severity(_ findings: [LaunchReport.Finding]) -> Int {
        findings.map { $0.action.rank + 1 }.max() ?? 0
    }

    @Test(
        "commutative and idempotent; several policies find the findings of each, as severely, and wipe nothing else"
    )
    func company() throws {
        var random = Seeded(Cases.seed &+ 7)
        for round in 0..<Cases.count {
            let documents = try (1...3).map { try PolicyDocument.anything(id: "p\($0)", &random) }
            let facts = try Self.facts(&random)
            let whole = Self.look(EffectivePolicy(merging: documents), facts).findings
            for other in [documents.reversed() as [PolicyDocument], documents + documents] {
                let same = Self.look(EffectivePolicy(merging: other), facts).findings
                #expect(same.map(\.subject) == whole.map(\.subject), "round \(round)")
            }
            let parts = documents.map { Self.look(EffectivePolicy(merging: [$0]), facts).findings }
            for part in parts {
                for finding in part {
                    let own = whole.filter { $0.check == finding.check && $0.setting == finding.setting }
                    #expect(Self.severity(own) >= Self.severity([finding]), "round \(round): \(finding.subject)")
                }
            }
            #expect(Self.severity(whole) == parts.map(Self.severity).max(), "round \(round)")
        }
    }

    @Test("an added restriction makes no launch milder, alone or merged")
    func restriction() throws {
        var random = Seeded(Cases.seed &+ 8)
        for round in 0..<Cases.count {
            let before = try PolicyDocument.anything(id: "p1", &random)
            let all = PolicyDocument.readProperties
            let near = all.filter { $0.name.hasPrefix("device") || $0.name.hasPrefix("appActionIf") }
            let property = random.one(of: Bool.random(using: &random) ? near : all)
            let value = before.settings.value(of: property.name)
            // A policy with both platforms' names of a setting uses only one of them.
            let hasTwin = PolicySetting.allCases.contains {
                $0.twin != nil && ($0.name == property.name || $0.twin?.name == property.name)
            }
            guard !hasTwin, let stricter = property.stricter(than: value, in: before.settings, &random) else {
                continue
            }
            let after = try PolicyDocument(id: "p1", json: before.json.setting(property.name, to: stricter))
            let company = try PolicyDocument.anything(id: "p2", &random)
            let facts = try Self.facts(&random)
            for others in [[], [company]] {
                let old = Self.look(EffectivePolicy(merging: [before] + others), facts).findings
                let new = Self.look(EffectivePolicy(merging: [after] + others), facts).findings
                for check in Set(old.map(\.check)) {
                    let (was, now) = (old.filter { $0.check == check }, new.filter { $0.check == check })
                    #expect(
                        Self.severity(now) >= Self.severity(was),
                        "round \(round): \(check) by \(property.name) \(stricter.text), \(before.json.text)")
                }
            }
        }
    }
}
