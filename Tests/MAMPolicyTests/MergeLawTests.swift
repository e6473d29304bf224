import MAMSupport
import Testing

@testable import MAMPolicy

/// Properties of the merge over random policies. `make soak` tests each with 100,000 (MAM_CASES).
@Suite("laws of the merge")
struct MergeLawTests {
    static let links = [
        "https://contoso.com/", "https://zoom.us/j/1", "https://a.contoso.com/in/x", "http://intranet/page",
        "https://maps.apple.com", "tel:1", "sms:1", "skype:bob", "zoommtg:1", "x-intunemam:1",
    ].map { Link($0) }

    /// Every answer of a policy, including those for links; true is looser.
    static func answers(_ policy: EffectivePolicy) -> [Bool] {
        let account = AccountPolicy.managed(accountId: "ann", tenantId: "t", policy: policy)
        return MergeTests.answers(policy.rules)
            + links.flatMap { link in
                [
                    account.allowsOpening(link, isKnownManaged: false),
                    account.allowsOpening(link, isKnownManaged: true),
                    policy.policies.allSatisfy { part in
                        link.origin.map { part.links.refusingSetting(forUniversal: $0, link) == nil } ?? false
                    },
                ]
            }
    }

    /// Returns the answers of one that are looser than another's.
    static func looser(_ new: EffectivePolicy, _ old: EffectivePolicy) -> [Int] {
        zip(answers(new), answers(old)).enumerated().filter { $0.element.0 && !$0.element.1 }.map(\.offset)
    }

    static func merged(_ documents: [PolicyDocument]) -> EffectivePolicy { EffectivePolicy(merging: documents) }

    /// Returns the merge as one policy, with the lowest id of its parts. A policy with both platforms' names of a setting uses
    /// only one of them, so the neutral one is omitted; an empty list of models would mean none.
    static func asDocument(_ policy: EffectivePolicy) throws -> PolicyDocument {
        let settings = policy.mergedSettings
        let stated = Set(settings.map(\.name))
        let members = settings.filter { merged in
            let setting = PolicySetting(rawValue: merged.name)
            return merged.name != "allowedIosDeviceModels"
                && !(merged.value == setting?.neutral && setting?.twin.map { stated.contains($0.name) } == true)
        }.map { (key: $0.name, value: $0.value) }
        return try PolicyDocument(id: policy.policies.first?.id ?? "p", json: .object(members))
    }

    @Test("commutative and idempotent; never looser than a part, also by diff")
    func order() throws {
        var random = Seeded(Cases.seed)
        for round in 0..<Cases.count {
            let documents = try (1...Int.random(in: 1...3, using: &random)).map {
                try PolicyDocument.anything(id: "p\($0)", &random)
            }
            let whole = Self.merged(documents)
            let text = whole.json(accountId: "ann").text
            #expect(Self.merged(documents.reversed()).json(accountId: "ann").text == text, "round \(round)")
            #expect(Self.merged(documents + documents).json(accountId: "ann").text == text, "round \(round)")
            for document in documents {
                let part = Self.merged([document])
                #expect(Self.looser(whole, part) == [], "round \(round): \(document.json.text)")
                let told = part.changes(to: whole).filter { $0.direction == .looser }
                #expect(told == [], "round \(round): \(documents.map(\.json.text))")
            }
        }
    }

    @Test("associative: merging the merge of two with a third equals merging all three")
    func association() throws {
        var random = Seeded(Cases.seed &+ 1)
        for round in 0..<Cases.count {
            let three = try (1...3).map { try PolicyDocument.anything(id: "p\($0)", &random) }
            let rules = three.map { DecisionRules($0.settings) }
            let whole = DecisionRules.strictest(rules)
            #expect(DecisionRules.stricter(.stricter(rules[0], rules[1]), rules[2]) == whole)
            #expect(DecisionRules.stricter(rules[0], .stricter(rules[1], rules[2])) == whole)
            #expect(Self.merged(three).rules == whole)
            // Each policy decides links by itself, so their lists are not part of the merge.
            for pair in [[0, 1], [1, 2]] {
                let two = try Self.asDocument(Self.merged(pair.map { three[$0] }))
                let third = three[3 - pair[0] - pair[1]]
                let merged = MergeTests.answers(Self.merged([two, third]).rules)
                #expect(merged == MergeTests.answers(whole), "round \(round): \(three.map(\.json.text))")
            }
        }
    }

    @Test("an added restriction makes no answer looser, alone or merged")
    func restriction() throws {
        var random = Seeded(Cases.seed &+ 2)
        for round in 0..<Cases.count {
            let before = try PolicyDocument.anything(id: "p1", &random)
            let property = random.one(of: PolicyDocument.readProperties)
            let value = before.settings.value(of: property.name)
            guard let stricter = property.stricter(than: value, in: before.settings, &random),
                PolicySetting.allCases.first(where: { $0.twin?.name == property.name || $0.name == property.name })?
                    .twin == nil
            else { continue }
            let after = try PolicyDocument(id: "p1", json: before.json.setting(property.name, to: stricter))
            let company = try PolicyDocument.anything(id: "p2", &random)
            for others in [[], [company]] {
                let (old, new) = (Self.merged([before] + others), Self.merged([after] + others))
                #expect(Self.looser(new, old) == [], "round \(round): \(property.name), \(before.json.text)")
                if others.isEmpty {
                    let told = old.changes(to: new).filter { $0.direction == .looser }
                    #expect(told == [], "round \(round): \(property.name) \(stricter.text), \(before.json.text)")
                }
            }
        }
    }
}
