import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("links under several policies")
struct LinkMergeTests {
    static let urls = [
        "https://contoso.com/", "https://zoom.us/j", "http://a.contoso.com/in/x", "http://intranet/page", "tel:1",
        "sms:1",
        "zoommtg:1", "calshow:1", "skype:1", "a-intunemam:1", "no link",
    ].map { Link($0) }

    @Test("allowed where each policy allows it; of both orders, and of one twice, the same")
    func conjunction() throws {
        var random = Seeded(11)
        for round in 0..<5_000 {
            let documents = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            let party = Party.managed(accountId: "a", tenantId: nil, policy: EffectivePolicy(merging: documents))
            let shuffled = EffectivePolicy(merging: (documents + documents.reversed()).shuffled(using: &random))
            let other = Party.managed(accountId: "a", tenantId: nil, policy: shuffled)
            for link in Self.urls {
                let answer = party.open(link)
                let isAllowed =
                    documents.isEmpty && link.flaw == nil
                    || documents.allSatisfy { managed($0).open(link).decision.allowed } && link.flaw == nil
                #expect(answer.decision.allowed == isAllowed, "round \(round)")
                #expect(party.allowsOpening(link, isKnownManaged: false) == isAllowed)
                #expect(answer.json == other.open(link).json)
                #expect(answer.decision.allowed || link.flaw == nil || answer.instead.isEmpty)
            }
        }
    }

    @Test("one policy that wants the managed browser is enough, and the strictest choice of an app holds")
    func strictest() throws {
        let fx = "\"managedBrowserToOpenLinksRequired\":true,\"customBrowserProtocol\":\"fx\""
        func instead(_ texts: [String], _ url: String) throws -> [String] {
            let documents = try texts.enumerated().map { try document("{\($1)}", id: "p\($0)") }
            let party = Party.managed(accountId: "a", tenantId: nil, policy: EffectivePolicy(merging: documents))
            return party.open(Link(url)).instead.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try instead([fx, "\"managedBrowserToOpenLinksRequired\":false"], "http://h/") == ["fx://h/"])
        #expect(
            try instead([fx, "\"managedBrowserToOpenLinksRequired\":true"], "http://h/").last
                == "microsoft-edge-http://h/")
        let second = "\"managedBrowserToOpenLinksRequired\":true,\"customBrowserProtocol\":\"dolphin\""
        #expect(try instead([fx, second], "http://h/") == ["fx://h/"])
        let dial = "\"dialerRestrictionLevel\":\"customApp\",\"customDialerAppProtocol\":\"dial\""
        #expect(try instead(["\"dialerRestrictionLevel\":\"managedApps\"", dial], "tel:1") == ["dial:1"])
        #expect(try instead([dial, "\"dialerRestrictionLevel\":\"blocked\""], "tel:1") == [])
        let zoom = "\"managedUniversalLinks\":[\"https://zoom.us/*\"],"
        #expect(
            try instead([zoom + fx, "\"managedUniversalLinks\":[]," + fx], "https://zoom.us/") == ["fxs://zoom.us/"])
    }

    @Test("the settings shown of several policies decide as the policies do")
    func shown() throws {
        var random = Seeded(12)
        for round in 0..<2_000 {
            let documents = try PolicyDocument.randomSet(&random)
            let policy = EffectivePolicy(merging: documents)
            let shown = policy.mergedSettings.filter { !$0.value.isNull }.map { ($0.name, $0.value) }
            let one = managed(try PolicyDocument(id: "shown", json: .object(shown)))
            let several = Party.managed(accountId: "a", tenantId: nil, policy: policy)
            for link in Self.urls where one.open(link).decision.allowed {
                // Lists intersect by what is written: the settings never promise more than the policies give.
                #expect(
                    several.open(link).decision.allowed,
                    "round \(round): \(String(decoding: link.bytes, as: UTF8.self))")
            }
        }
    }
}
