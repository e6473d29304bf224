import MAMSupport
import Testing

@testable import MAMPolicy

/// Laws of the merge, over policies that say anything of any property. `make soak` tries each with 100,000 (MAM_CASES).
@Suite("laws of the merge")
struct MergeLawTests {
    static let links = [
        "https://contoso.com/", "https://zoom.us/j/1", "https://a.contoso.com/in/x", "http://intranet/page",
        "https://maps.apple.com", "tel:1", "sms:1", "skype:bob", "zoommtg:1", "x-intunemam:1",
    ].map { Link($0) }

    /// Every answer of a policy, those to links included: true lets more happen.
    static func answers(_ policy: EffectivePolicy) -> [Bool] {
        let party = Party.managed(accountId: "ann", tenantId: "t", policy: policy)
        return MergeTests.answers(policy.rules)
            + links.flatMap { link in
                [
                    party.allowsOpening(link, isKnownManaged: false), party.allowsOpening(link, isKnownManaged: true),
                    policy.parts.allSatisfy { part in
                        link.site.map { part.links.refusal(ofUniversal: $0, link) == nil } ?? false
                    },
                ]
            }
    }

    /// Which answers of one are looser than another's.
    static func looser(_ new: EffectivePolicy, _ old: EffectivePolicy) -> [Int] {
        zip(answers(new), answers(old)).enumerated().filter { $0.element.0 && !$0.element.1 }.map(\.offset)
    }

    static func merged(_ documents: [PolicyDocument]) -> EffectivePolicy { EffectivePolicy(merging: documents) }

    /// The merge as a policy of its own, with the lowest id of its parts. One policy with both platforms' words for a
    /// setting goes by one of them, so that the neutral one is left out; an empty list of models would be none.
    static func asDocument(_ policy: EffectivePolicy) throws -> PolicyDocument {
        let settings = policy.mergedSettings
        let stated = Set(settings.map(\.name))
        let members = settings.filter { merged in
            let setting = PolicySetting(rawValue: merged.name)
            return merged.name != "allowedIosDeviceModels"
                && !(merged.value == setting?.neutral && setting?.twin.map { stated.contains($0.name) } == true)
        }.map { (key: $0.name, value: $0.value) }
        return try PolicyDocument(id: policy.parts.first?.id ?? "p", json: .object(members))
    }

    @Test("commutative and idempotent, to the letter; never looser than a part, nor than itself is diff")
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

    @Test("associative: what two come to, as one policy, with a third is what the three come to")
    func association() throws {
        var random = Seeded(Cases.seed &+ 1)
        for round in 0..<Cases.count {
            let three = try (1...3).map { try PolicyDocument.anything(id: "p\($0)", &random) }
            let rules = three.map { Rules($0.settings) }
            let whole = Rules.strictest(rules)
            #expect(Rules.stricter(.stricter(rules[0], rules[1]), rules[2]) == whole)
            #expect(Rules.stricter(rules[0], .stricter(rules[1], rules[2])) == whole)
            #expect(Self.merged(three).rules == whole)
            // Links are asked of each policy, so that their lists are not part of it.
            for pair in [[0, 1], [1, 2]] {
                let two = try Self.asDocument(Self.merged(pair.map { three[$0] }))
                let third = three[3 - pair[0] - pair[1]]
                let merged = MergeTests.answers(Self.merged([two, third]).rules)
                #expect(merged == MergeTests.answers(whole), "round \(round): \(three.map(\.json.text))")
            }
        }
    }

    @Test("a restriction that is added makes no answer looser, alone and in company")
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
