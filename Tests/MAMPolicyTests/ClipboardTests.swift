import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("clipboard")
struct ClipboardTests {
    /// The peers: "-" unknown, "=" the same account, "u" unmanaged, "t" managed in the same tenant, "o" in another.
    static let sides = TransferTests.sides

    static func allowed(_ ask: (TransferPeer) -> ClipboardDecision) -> String {
        String(sides.filter { ask($0.1).decision.allowed }.map(\.0))
    }

    @Test(
        "a level limits pasting in both directions; the Windows names are equivalent",
        arguments: [
            ("allApps", "anyDestinationAnySource", "-=uto", "-=uto"),
            ("managedAppsWithPasteIn", "orgDestinationAnySource", "=t", "-=uto"),
            ("managedApps", "orgDestinationOrgSource", "=t", "=t"),
            ("blocked", "none", "=", "="),
        ])
    func levels(_ name: String, _ windows: String, _ out: String, _ back: String) throws {
        for level in [name, windows] {
            let account = try managed("{\"allowedOutboundClipboardSharingLevel\":\"\(level)\"}")
            #expect(Self.allowed { account.copy(1, to: $0) } == out)
            #expect(Self.allowed { account.paste(1, from: $0) } == back)
        }
    }

    @Test("values that are not understood block")
    func odd() throws {
        for level in ["\"moon\"", "3", "[]"] {
            let account = try managed("{\"allowedOutboundClipboardSharingLevel\":\(level)}")
            #expect(Self.allowed { account.copy(1, to: $0) } == "=")
        }
        let text =
            #"{"allowedOutboundClipboardSharingLevel":"blocked","allowedOutboundClipboardSharingExceptionLength":1e9}"#
        #expect(try managed(text).copy(0, to: .unknown).limit == 0)
        #expect(try !managed(text).copy(1, to: .unknown).decision.allowed)
    }

    @Test("the exception allows its number of characters, in both directions")
    func exception() throws {
        let text =
            #"{"allowedOutboundClipboardSharingLevel":"blocked","allowedOutboundClipboardSharingExceptionLength":20}"#
        let account = try managed(text)
        for answer in [account.copy(20, to: .unknown), account.paste(20, from: .other(.unmanaged))] {
            #expect(answer.json(in: .english).text == #"{"allowed":true,"limit":20}"#)
        }
        for length in [21, Int.max] {
            #expect(!account.copy(length, to: .unknown).decision.allowed)
            #expect(account.paste(length, from: .unknown).limit == 20)
            #expect(account.copy(length, to: .sameAccount).limit == nil)
        }
        #expect(
            account.copy(21, to: .unknown).decision.reason?.message
                == "Copying is refused: allowedOutboundClipboardSharingLevel is blocked in “p1”; at most 20 characters may pass"
        )
    }

    @Test("both sides count, each with its own exception")
    func bothSides() throws {
        func side(_ level: String, _ length: Int, _ account: String) throws -> AccountPolicy {
            try managed(
                "{\"allowedOutboundClipboardSharingLevel\":\"\(level)\",\"allowedOutboundClipboardSharingExceptionLength\":\(length)}",
                id: account, account: account, tenant: account)
        }
        let (ann, bob) = (try side("managedApps", 30, "ann"), try side("blocked", 10, "bob"))
        #expect(ann.copy(10, to: .other(bob)).decision.allowed && ann.copy(10, to: .other(bob)).limit == 10)
        #expect(ann.copy(11, to: .other(bob)).decision.reason?.policyId == "bob")
        #expect(ann.copy(31, to: .other(bob)).decision.reason?.alsoIn == ["bob"])
        // Unmanaged text into an account that accepts none.
        let inward = AccountPolicy.unmanaged.copy(11, to: .other(bob))
        #expect(!inward.decision.allowed && inward.limit == 10)
        #expect(inward.decision.reason?.messageKey == .refusedPaste)
        #expect(bob.paste(11, from: .other(.unmanaged)).decision.reason?.messageKey == .refusedPaste)
        #expect(ann.copy(31, to: .other(bob)).decision.reason?.messageKey == .refusedCopy)
        #expect(try AccountPolicy.unmanaged.copy(11, to: .other(side("managedAppsWithPasteIn", 0, "eve"))).limit == nil)
    }

    @Test("copying to an account equals pasting there")
    func symmetry() throws {
        var random = Seeded(11)
        for _ in 0..<300 {
            let policies = try (0..<2).map { _ in EffectivePolicy(merging: try PolicyDocument.randomSet(&random)) }
            let a = AccountPolicy.managed(accountId: "a", tenantId: "t", policy: policies[0])
            let b = AccountPolicy.managed(accountId: "b", tenantId: random.one(of: ["t", "s"]), policy: policies[1])
            for length in [0, 5, 50, 70_000] {
                let (copy, paste) = (a.copy(length, to: .other(b)), b.paste(length, from: .other(a)))
                #expect(copy.decision.allowed == paste.decision.allowed && copy.limit == paste.limit)
                #expect(copy.decision.reason?.messageKey == paste.decision.reason?.messageKey)
                #expect(copy.decision.allowed == (length <= copy.limit ?? .max))
            }
        }
    }

    @Test("lock-down allows nothing, not even to the same account")
    func lockDown() {
        let account = AccountPolicy.managed(accountId: "", tenantId: nil, policy: .lockDown)
        for (_, side) in Self.sides {
            #expect(account.copy(0, to: side).limit == 0 && !account.copy(0, to: side).decision.allowed)
            #expect(!account.paste(0, from: side).decision.allowed)
        }
        #expect(!AccountPolicy.unmanaged.copy(1, to: .other(account)).decision.allowed)
        #expect(
            AccountPolicy.unmanaged.copy(.max, to: .unknown).json(in: .english).text
                == #"{"allowed":true,"limit":null}"#)
    }

    @Test("another policy never opens the clipboard or extends an exception")
    func stricter() throws {
        var random = Seeded(12)
        for _ in 0..<2000 {
            // A targeted policy replaces the tenant's default, so nothing is added to that one.
            let one = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            let two = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            let (few, many) = (EffectivePolicy(merging: one), EffectivePolicy(merging: one + two))
            for relation: Relation in [.unknown, .sameAccount, .sameTenant, .otherTenant, .unmanaged] {
                #expect(many.rules.clipboard.limit(to: relation) <= few.rules.clipboard.limit(to: relation))
                #expect(many.rules.clipboard.limit(from: relation) <= few.rules.clipboard.limit(from: relation))
            }
            #expect(many.rules.notifications.rawValue >= few.rules.notifications.rawValue)
        }
    }

    @Test("a request contains the direction and the length")
    func requests() throws {
        func ask(_ members: String) throws -> CheckRequest {
            try CheckRequest(JSON(parsing: "{\"action\":\"clipboard\",\"account\":\"ann\"\(members)}"))
        }
        #expect(try "\(ask(",\"length\":5").action)" == "copy(5)")
        #expect(try "\(ask(",\"length\":5,\"receiver\":\"\"").action)" == "copy(5)")
        #expect(try "\(ask(",\"length\":0,\"sender\":null").action)" == "paste(0)")
        for wrong in [
            "", ",\"length\":-1", ",\"length\":1.5", ",\"length\":\"1\"",
            ",\"length\":1,\"sender\":null,\"receiver\":null",
            ",\"length\":1,\"locationAccount\":null", ",\"length\":1,\"url\":\"x:\"",
        ] {
            #expect(throws: MAMError.self, "\(wrong)") { try ask(wrong) }
        }
        #expect(throws: MAMError.self) {
            try CheckRequest(JSON(parsing: #"{"action":"print","account":"","length":1}"#))
        }
    }
}
