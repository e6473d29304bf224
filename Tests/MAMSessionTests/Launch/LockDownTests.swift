import MAMPolicy
import MAMProtection
import MAMSession
import MAMSupport
import Testing

@Suite("why everything is refused")
struct LockDownTests {
    /// A policy's properties, the check that they fail here, and what that check's setting is there.
    static let checks: [(policy: JSON, check: String, setting: String, value: JSON)] = [
        (["minimumRequiredAppVersion": "2.0"], "appVersion", "minimumRequiredAppVersion", "2.0"),
        (["minimumRequiredOsVersion": "25"], "osVersion", "minimumRequiredOsVersion", "25"),
        (["minimumRequiredSdkVersion": "99"], "sdkVersion", "minimumRequiredSdkVersion", "99"),
        (["allowedIosDeviceModels": "Shelf"], "deviceModel", "allowedIosDeviceModels", ["Shelf"]),
        (["maximumAllowedDeviceThreatLevel": "low"], "threatLevel", "maximumAllowedDeviceThreatLevel", "low"),
        (["pinRequired": true], "pin", "pinRequired", true),
        (["organizationalCredentialsRequired": true], "credentials", "organizationalCredentialsRequired", true),
    ]

    @Test("a refusal names the check that a launch failed, its setting, the value and the policy", arguments: checks)
    func named(_ one: (policy: JSON, check: String, setting: String, value: JSON)) throws {
        let desk = try Desk(one.policy)
        defer { desk.session.end() }
        _ = try desk.launch()
        for request in try LockDownTests.requests() {
            let reason = try desk.reason(request)
            #expect(reason["check"]?.string == one.check)
            #expect(reason["setting"]?.string == one.setting && reason["value"] == one.value)
            #expect(reason["policyId"]?.string == "one" && reason["policyName"]?.string == "One")
            let message = reason["message"]?.string ?? ""
            let value = one.value.string ?? one.value.text
            #expect(message.contains("the account is locked down: check \(one.check) failed"))
            #expect(message.contains("\(one.setting) is \(value) in “One”"), "\(message)")
        }
        do {
            _ = try desk.session.sealsAndOpensOrFails("ann")
            Issue.record("it opens")
        } catch {
            let detail = Dictionary(uniqueKeysWithValues: (error as? MAMError)?.detail.map { ($0.key, $0.value) } ?? [])
            #expect(detail["check"]?.string == one.check && detail["setting"]?.string == one.setting)
            #expect(detail["upn"]?.string == Desk.ann && detail["policyName"]?.string == "One")
        }
    }

    /// Requests about Ann that are refused by nothing else.
    static func requests() throws -> [[(key: String, value: JSON)]] {
        [
            [("action", "print")], [("action", "saveTo"), ("location", "accountDocument")],
            [("action", "openFrom"), ("location", "box")], [("action", "url"), ("url", "https://contoso.example/")],
            [("action", "clipboard"), ("length", 5), ("receiver", .null)], [("action", "receive"), ("sender", .null)],
        ]
    }

    @Test("the other side of a transfer names its own")
    func other() throws {
        let desk = try Desk(
            ["minimumRequiredAppVersion": "2.0"], settings: ["MultiManagedIdentities": true])
        defer { desk.session.end() }
        _ = try desk.launch()
        try desk.place.setPolicy([:])
        #expect(try desk.session.enroll("bob") == .newPoliciesReceived)
        let receiver: [(key: String, value: JSON)] = [
            ("action", "saveTo"), ("location", "accountDocument"), ("locationAccount", .string(Desk.ann)),
        ]
        let reason = try desk.reason(receiver, of: "bob@contoso.example")
        #expect(reason["check"]?.string == "appVersion")
        #expect(reason["message"]?.string?.contains("the account there is locked down: check appVersion") == true)
    }

    @Test("what no launch found is named too")
    func others() throws {
        let desk = try Desk([:], settings: ["MultiManagedIdentities": true])
        let session = desk.session
        defer { session.end() }
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        let both = try Identities(.array([.string(Desk.ann), "bob@contoso.example"]), argument: "name")
        let window = try session.policy(of: PolicySubject(both), newToken)
        let held = try session.policy(of: PolicySubject(try MAMSessionTests.named("ann")), newToken)
        #expect(try session.message(window).contains("several accounts are shown together"))
        _ = try session.wipe(try MAMSessionTests.named("ann"), reason: "host")
        let wiping = try desk.reason([("action", "print")])
        #expect(wiping["check"]?.string == "wipe" && wiping["setting"] == .null)
        #expect(wiping["message"]?.string?.contains("the account is being wiped") == true)
        _ = try session.answering(["wipeData": ["removed": true]])
        #expect(try session.message(held).contains("wiped or unenrolled while this policy handle was held"))
    }

    @Test("an account whose policy has not come yet, and one that may not be used here, say so")
    func closed() throws {
        let desk = try Desk([:])
        desk.session.end()
        let device = ("device", JSON.object([("mdmAccountId", "somebody else")]))
        let session = try desk.place.open([device])
        let text = try JSON(parsing: session.check(["action": "print", "account": .string(Desk.ann)]))
        #expect(text["reason"]?["check"]?.string == "account")
        #expect(text["reason"]?["message"]?.string?.contains("account's data stays closed: ") == true)
        session.end()
    }
}

extension Desk {
    /// Why a request is refused.
    fileprivate func reason(_ request: [(key: String, value: JSON)], of account: String = Desk.ann) throws -> JSON {
        let json = try JSON(parsing: session.check(.object(request + [("account", .string(account))])))
        #expect(json["allowed"]?.bool == false, "\(json.text)")
        return try #require(json["reason"], "\(json.text)")
    }
}

extension Session {
    /// Why a handle refuses a link.
    fileprivate func message(_ handle: PolicyHandle) throws -> String {
        try open(handle, Link("https://contoso.example/"))["reason"]?["message"]?.string ?? ""
    }

    fileprivate func sealsAndOpensOrFails(_ name: String) throws {
        let sealer = try sealer(for: try MAMSessionTests.named(name), content: .data)
        var container = [UInt8](repeating: 0, count: sealer.length(of: 1) ?? 0)
        try [UInt8(1)].withUnsafeBytes { plain in
            try container.withUnsafeMutableBytes { try sealer.seal(plain, into: $0) }
        }
        _ = try container.withUnsafeBytes { try opener(for: try Container.header($0)) }
    }
}
