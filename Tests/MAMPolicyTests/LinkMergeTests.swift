import Foundation
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

    @Test("allowed if each policy allows it; commutative and idempotent")
    func conjunction() throws {
        var random = Seeded(11)
        for round in 0..<5_000 {
            let documents = try PolicyDocument.randomSet(of: PolicyDocument.stating, &random).filter {
                !$0.isTenantDefault
            }
            let account = AccountPolicy.managed(
                accountId: "a", tenantId: nil, policy: EffectivePolicy(merging: documents))
            let shuffled = EffectivePolicy(merging: (documents + documents.reversed()).shuffled(using: &random))
            let other = AccountPolicy.managed(accountId: "a", tenantId: nil, policy: shuffled)
            for link in Self.urls {
                let answer = account.open(link)
                let isAllowed =
                    documents.isEmpty && link.error == nil
                    || documents.allSatisfy { managed($0).open(link).decision.allowed } && link.error == nil
                #expect(answer.decision.allowed == isAllowed, "round \(round)")
                #expect(account.allowsOpening(link, isKnownManaged: false) == isAllowed)
                #expect(answer.json(in: .english) == other.open(link).json(in: .english))
                #expect(answer.decision.allowed || link.error == nil || answer.instead.isEmpty)
            }
        }
    }

    @Test("one policy that requires the managed browser is enough, and the strictest choice of an app applies")
    func strictest() throws {
        let fx = "\"managedBrowserToOpenLinksRequired\":true,\"customBrowserProtocol\":\"fx\""
        func instead(_ texts: [String], _ url: String) throws -> [String] {
            let documents = try texts.enumerated().map { try document("{\($1)}", id: "p\($0)") }
            let account = AccountPolicy.managed(
                accountId: "a", tenantId: nil, policy: EffectivePolicy(merging: documents))
            return account.open(Link(url)).instead.map { String(decoding: $0, as: UTF8.self) }
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

    @Test("the merged settings decide as the policies do")
    func shown() throws {
        var random = Seeded(12)
        for round in 0..<2_000 {
            let documents = try PolicyDocument.randomSet(&random)
            let policy = EffectivePolicy(merging: documents)
            let shown = policy.mergedSettings.filter { !$0.value.isNull }.map { ($0.name, $0.value) }
            let one = managed(try PolicyDocument(id: "shown", json: .object(shown)))
            let several = AccountPolicy.managed(accountId: "a", tenantId: nil, policy: policy)
            for link in Self.urls where one.open(link).decision.allowed {
                // Lists intersect by their text: the merged settings never allow more than the policies.
                #expect(
                    several.open(link).decision.allowed,
                    "round \(round): \(String(decoding: link.bytes, as: UTF8.self))")
            }
        }
    }

    @Test("a policy that cannot set exceptions neither removes nor restores any")
    func platforms() throws {
        func allows(_ url: String, _ texts: String...) throws -> Bool {
            let documents = try texts.enumerated().map { try document($1, id: "p\($0)") }
            let account = AccountPolicy.managed(
                accountId: "a", tenantId: nil, policy: EffectivePolicy(merging: documents))
            return account.allowsOpening(Link(url), isKnownManaged: false)
        }
        func policy(_ platform: String, _ members: String) -> String {
            "{\"@odata.type\":\"#microsoft.graph.\(platform)ManagedAppProtection\",\(members)}"
        }
        let level = "\"allowedOutboundDataTransferDestinations\":\"managedApps\""
        let android = policy("android", level)
        let ios = policy("ios", level + ",\"exemptedAppProtocols\":[{\"name\":\"a\",\"value\":\"zoommtg\"}]")
        #expect(try allows("zoommtg:1", ios) && allows("zoommtg:1", ios, android) && allows("zoommtg:1", android, ios))
        #expect(try !allows("zoommtg:1", android) && !allows("skype:1", ios, android))
        // A policy that restricts nothing has no exceptions to share.
        let free = policy("ios", "\"exemptedAppProtocols\":[{\"name\":\"a\",\"value\":\"zoommtg\"}]")
        #expect(try !allows("zoommtg:1", free, android) && allows("skype:1", free, android))
        let browser = "\"managedBrowserToOpenLinksRequired\":true"
        let site = ",\"exemptedUniversalLinks\":[\"https://contoso.com/*\"]"
        #expect(try allows("https://contoso.com/a", policy("ios", browser + site), policy("android", browser)))
        #expect(try !allows("https://contoso.com/a", policy("ios", level + site), policy("ios", browser)))
        // A level without exceptions does not take any.
        #expect(try !allows("zoommtg:1", ios, policy("android", level.replacing("managedApps", "none"))))
        #expect(try !allows("zoommtg:1", ios, policy("windows", level.replacing("managedApps", "none"))))
    }
}

extension String {
    fileprivate func replacing(_ word: String, _ other: String) -> String {
        replacingOccurrences(of: word, with: other)
    }
}
