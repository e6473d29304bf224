import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("share targets")
struct ShareTargetTests {
    static let mail = Executable(path: "/usr/bin/mail", inode: 1, size: 10, changed: 100)

    static func app(
        _ id: String, _ accounts: [(String, String)], isListed: Bool = true, program: Executable? = mail,
        isCurrent: Bool = true
    ) -> RegisteredApp {
        var entry = ManagedApp()
        for (account, tenant) in accounts {
            entry = entry.with(
                .init(row: account, accountId: account, upn: "\(account)@x", tenantId: tenant), by: program)
        }
        return RegisteredApp(
            id: id, entry: entry, isListed: isListed, programs: isCurrent ? [program].compactMap(\.self) : [])
    }

    static let register = RegisteredApps([
        app("same", [("ann", "t1")]), app("tenant", [("bob", "T1")]), app("other", [("cid", "t2")]),
        app("both", [("ann", "t1"), ("cid", "t2")]), app("unlisted", [("ann", "t1")], isListed: false),
        app("changed", [("ann", "t1")], isCurrent: false), app("empty", []),
        RegisteredApp(id: "forged", entry: nil, isListed: true, programs: []),
    ])

    static func target(_ text: String, _ peer: TransferPeer = .unknown) -> ShareTarget? {
        guard let query = try? AppQuery(target: JSON(parsing: text), index: 0) else { return nil }
        return ShareTarget(query, in: register, peer: peer) { name in
            if case .executable("/usr/bin/mail") = name { mail } else { nil }
        }
    }

    static let targets = [
        #"{"appId":"same"}"#, #"{"appId":"tenant"}"#, #"{"appId":"other"}"#, #"{"appId":"nobody"}"#,
        #"{"scheme":"x-intunemam"}"#, #"{"scheme":"skype"}"#,
    ].compactMap { target($0) }

    static let managedOnly = #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#

    @Test(
        "at the level managedApps",
        arguments: [
            (#"{"appId":"same"}"#, ""), (#"{"appId":"tenant"}"#, ""), (#"{"appId":"both"}"#, ""),
            (#"{"appId":"other"}"#, "no account of the same tenant"), (#"{"appId":"nobody"}"#, "no such app"),
            (#"{"appId":"unlisted"}"#, "authority has no policy"), (#"{"appId":"changed"}"#, "changed or replaced"),
            (#"{"appId":"empty"}"#, "no account under policy"), (#"{"appId":"forged"}"#, "does not verify"),
            (#"{"appId":"SAME"}"#, "no such app"), (#"{"executable":"/usr/bin/mail"}"#, ""),
            (#"{"executable":"/usr/bin/xterm"}"#, "no such program"), (#"{"scheme":"x-intunemam"}"#, ""),
            (#"{"scheme":"mailto:"}"#, "not a managed app's scheme"),
            (#"{"scheme":"skype"}"#, "exemptions are for links"),
            (#"{"appId":"same","identity":"ANN@x"}"#, ""),
            (#"{"appId":"same","identity":"bob"}"#, "not have that account"),
            (#"{"appId":"both","identity":"cid"}"#, "no account of the same tenant"),
            (#"{"appId":"tenant","identity":"bob"}"#, ""), (#"{"scheme":"x-intunemam","identity":"ann"}"#, ""),
            (#"{"scheme":"x-intunemam","identity":"bob"}"#, "cannot be told"),
        ])
    func managedApps(_ text: String, _ why: String) throws {
        let target = try #require(Self.target(text))
        let decision = try managed(Self.managedOnly).share(with: target)
        #expect(decision.allowed == why.isEmpty)
        #expect(decision.reason?.setting == (why.isEmpty ? nil : "allowedOutboundDataTransferDestinations"))
        #expect(decision.reason.map { $0.message.contains(why) } ?? true, "\(decision.reason?.message ?? "")")
    }

    @Test("at the levels allApps and none")
    func extremes() throws {
        for target in Self.targets {
            #expect(try managed("{}").share(with: target).allowed)
            #expect(AccountPolicy.unmanaged.share(with: target).allowed)
            #expect(try !managed(#"{"allowedOutboundDataTransferDestinations":"none"}"#).share(with: target).allowed)
            let lockedDown = AccountPolicy.managed(accountId: "", tenantId: nil, policy: .lockDown)
            #expect(lockedDown.share(with: target).reason?.setting == nil && !lockedDown.share(with: target).allowed)
        }
    }

    @Test("an account without a tenant shares none with others")
    func noTenant() throws {
        let account = try managed(Self.managedOnly, tenant: nil)
        #expect(try account.share(with: #require(Self.target(#"{"appId":"same"}"#))).allowed)
        #expect(try !account.share(with: #require(Self.target(#"{"appId":"tenant"}"#))).allowed)
    }

    @Test("the filter removes schemes, and is the named setting")
    func filter() throws {
        let text =
            #"{"allowedOutboundDataTransferDestinations":"managedApps","filterOpenInToOnlyManagedApps":true}"#
        let scheme = try #require(Self.target(#"{"scheme":"x-intunemam"}"#))
        #expect(try managed(text).share(with: scheme).reason?.setting == "filterOpenInToOnlyManagedApps")
        #expect(try managed(text).share(with: #require(Self.target(#"{"appId":"same"}"#))).allowed)
        #expect(try managed(#"{"filterOpenInToOnlyManagedApps":true}"#).share(with: scheme).allowed)
    }

    @Test("another account of this app applies its own inbound level")
    func ownAccount() throws {
        let bob = try managed(#"{"allowedInboundDataTransferSources":"none"}"#, id: "theirs", account: "bob")
        let target = try #require(Self.target(#"{"appId":"tenant","identity":"bob"}"#, .other(bob)))
        let reason = try #require(managed("{}").share(with: target).reason)
        #expect(reason.setting == "allowedInboundDataTransferSources" && reason.policyId == "theirs")
        #expect(!AccountPolicy.unmanaged.share(with: target).allowed)
    }

    @Test("another policy never lets a target remain")
    func stricter() throws {
        var random = Seeded(31)
        for _ in 0..<1000 {
            let one = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            let two = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            guard !one.isEmpty else { continue }
            let few = AccountPolicy.managed(accountId: "ann", tenantId: "t1", policy: EffectivePolicy(merging: one))
            let many = AccountPolicy.managed(
                accountId: "ann", tenantId: "t1", policy: EffectivePolicy(merging: one + two))
            for target in Self.targets where many.share(with: target).allowed {
                #expect(few.share(with: target).allowed)
            }
        }
    }

    @Test(
        "invalid targets",
        arguments: [
            "{}", "[]", #"{"appId":""}"#, #"{"appId":1}"#, #"{"appId":"a","scheme":"b"}"#, #"{"executable":"mail"}"#,
            #"{"scheme":"1x"}"#, #"{"scheme":"a b"}"#, #"{"pid":1}"#, #"{"appId":"a","identity":" b"}"#,
            #"{"appId":"a","identity":7}"#, #"{"appId":"a","more":1}"#,
        ])
    func wrong(_ text: String) { #expect(Self.target(text) == nil) }

    @Test("limits")
    func limits() throws {
        let many = JSON.array(Array(repeating: ["appId": "a"], count: ShareSelection.maximumTargets + 1))
        #expect(throws: MAMError.self) { try ShareSelection.targets(many) }
        #expect(throws: MAMError.self) { try ShareSelection.targets(["appId": "a"]) }
        #expect(Self.target("{\"appId\":\"\(String(repeating: "a", count: 4096))\"}") == nil)
        #expect(Self.target("{\"appId\":\"a\",\"identity\":\"\(String(repeating: "a", count: 1 << 20))\"}") == nil)
    }
}
