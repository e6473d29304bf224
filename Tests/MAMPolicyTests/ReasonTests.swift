import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("reasons")
struct ReasonTests {
    typealias Ask = @Sendable (AccountPolicy, TransferPeer) -> Decision

    /// A decision with both sides, to be repeated after a change.
    struct Scenario {
        var mine: [PolicyDocument]?
        var theirs: [PolicyDocument]?
        let side: Character, tenant: String
        let ask: Ask

        var decision: Decision {
            let other = Scenario.accountPolicy(theirs, "bob", tenant)
            let peer: TransferPeer = side == "-" ? .unknown : side == "=" ? .sameAccount : .other(other)
            return ask(Scenario.accountPolicy(mine, "ann", "t1"), peer)
        }

        static func accountPolicy(_ documents: [PolicyDocument]?, _ account: String, _ tenant: String) -> AccountPolicy
        {
            guard let documents else { return .unmanaged }
            return .managed(accountId: account, tenantId: tenant, policy: EffectivePolicy(merging: documents))
        }

        /// Returns a copy with a property at its neutral value in some policies, on both sides.
        func with(_ name: String, neutralIn ids: [String]) throws -> Scenario {
            let value = try #require(neutralValues[name], "\(name) is never a reason")
            func change(_ document: PolicyDocument) throws -> PolicyDocument {
                ids.contains(document.id) ? try document.with(name, value) : document
            }
            var copy = self
            copy.mine = try mine?.map(change)
            copy.theirs = try theirs?.map(change)
            return copy
        }
    }

    /// Checks that the one change reverses the decision.
    func verify(_ scenario: Scenario) throws {
        guard let reason = scenario.decision.reason else { return }
        #expect(!reason.message.isEmpty && !reason.message.contains("\n"))
        #expect(reason.messageKey.rawValue.hasPrefix("refused"))
        let json = reason.json(in: .german)
        #expect(json["userMessage"]?.string == Language.german.text(reason.messageKey))
        #expect(json["messageKey"]?.string == reason.messageKey.rawValue)
        guard let setting = reason.setting, let id = reason.policyId else { return }
        #expect(reason.message.contains(setting))
        guard reason.alsoIn.isEmpty else { return }
        #expect(try scenario.with(setting, neutralIn: [id]).decision.allowed, "\(reason.message)")
    }

    static let questions: [Ask] = {
        var all: [Ask] = [{ $0.receive(from: $1) }]
        for location in SaveLocation.allCases { all.append { $0.saveTo(location, $1) } }
        for location in OpenLocation.allCases { all.append { $0.openFrom(location, $1) } }
        for length in [1, 100, 65_536] {
            all.append { $0.copy(length, to: $1).decision }
            all.append { $0.paste(length, from: $1).decision }
        }
        for target in ShareTargetTests.targets { all.append { account, _ in account.share(with: target) } }
        for predicate in Predicate.allCases { all.append { account, _ in account.decide(predicate, device: noLock) } }
        for url in ["https://contoso.com/", "https://zoom.us/j/1", "tel:1", "sms:1", "zoommtg://x", "calshow:1", "x"] {
            all.append { account, _ in account.open(Link(url)).decision }
            all.append { account, _ in account.openUniversal(Link(url)) }
        }
        return all
    }()

    /// Every decision about a policy, with every kind of peer.
    func verifyAll(_ policy: PolicyDocument) throws {
        let others = [try document("{}", id: "free"), try document(Samples.closed, id: "closed"), policy]
        for ask in Self.questions {
            for side: Character in ["-", "="] { try verify(Scenario(mine: [policy], side: side, tenant: "", ask: ask)) }
            for mine in [[policy], nil] {
                try verify(Scenario(mine: mine, side: "o", tenant: "", ask: ask))
                for other in others {
                    for tenant in ["t1", "t2"] {
                        try verify(Scenario(mine: mine, theirs: [other], side: "o", tenant: tenant, ask: ask))
                    }
                }
            }
        }
    }

    @Test("every reason reverses its decision: our own policies", arguments: Samples.all)
    func own(_ text: String) throws { try verifyAll(document(text)) }

    @Test(
        "every reason reverses its decision: real exports", .enabled(if: SharedData.isPresent, "no shared data"),
        arguments: SharedData.exports)
    func real(_ export: SharedData.Export) throws {
        for policy in try SharedData.policies(export.name) { try verifyAll(policy) }
    }

    @Test("with several policies: alone if one is enough, else with those named in alsoIn")
    func several() throws {
        var random = Seeded(7)
        var together = 0
        for _ in 0..<400 {
            let mine = try PolicyDocument.randomSet(of: PolicyDocument.stating, &random)
            for ask in Self.questions {
                let scenario = Scenario(mine: mine, side: random.one(of: ["-", "=", "u"]), tenant: "", ask: ask)
                try verify(scenario)
                guard let reason = scenario.decision.reason, let setting = reason.setting, let id = reason.policyId,
                    !reason.alsoIn.isEmpty
                else { continue }
                together += 1
                let one = try scenario.with(setting, neutralIn: [id]).decision
                #expect(!one.allowed, "one change was enough: \(reason.message)")
                let cured = try mine.map { policy in
                    ([id] + reason.alsoIn).contains(policy.id) ? try document("{}", id: policy.id) : policy
                }
                #expect(
                    Scenario(mine: cured, side: scenario.side, tenant: "", ask: ask).decision.allowed,
                    "\(reason.message)")
            }
        }
        #expect(together > 100)
    }

    @Test("alsoIn names the policies that must change too")
    func alsoIn() throws {
        let a = try document("{\"printBlocked\":true}", id: "a"), b = try document("{\"printBlocked\":true}", id: "b")
        let c = try document("{\"printBlocked\":false}", id: "c")
        let reason = try #require(managed(c, b, a).decide(.print, device: noLock).reason)
        #expect(reason.policyId == "a" && reason.alsoIn == ["b"])
        #expect(reason.message == "Printing is refused: printBlocked is true in “a”; another policy refuses it too")
    }

    @Test("both sides refuse: this side is named, the other one is in alsoIn")
    func bothSides() throws {
        let theirs = TransferPeer.other(try managed(Samples.closed, id: "theirs", account: "bob"))
        let reason = try #require(managed(Samples.closed, id: "mine").saveTo(.box, theirs).reason)
        #expect(reason.setting == "allowedOutboundDataTransferDestinations" && reason.policyId == "mine")
        #expect(reason.alsoIn == ["theirs"])
    }

    @Test(
        "messages are for people",
        arguments: [
            (
                SaveLocation.localDrive, TransferPeer.unknown,
                "Saving to localDrive is refused: saveAsBlocked is true in “Notes, strict” and localStorage is not among "
                    + "allowedDataStorageLocations"
            ),
            (
                .oneDriveForBusiness, .unknown,
                "Saving to oneDriveForBusiness is refused: allowedOutboundDataTransferDestinations is managedApps in "
                    + "“Notes, strict” and the account there is not known"
            ),
            (
                .localDrive, .sameAccount,
                "Saving to localDrive is refused: localDrive belongs to no account, and one was named"
            ),
        ])
    func messages(_ location: SaveLocation, _ side: TransferPeer, _ message: String) throws {
        #expect(try managed(Samples.strict).saveTo(location, side).reason?.message == message)
    }
}
