import MAMPolicy
import MAMProtection
import MAMSession
import MAMState
import MAMSupport
import Testing

@Suite("causes of a lock-down")
struct LockDownTests {
    /// A policy's properties, the check that they fail here, and the setting of that check.
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
        let fixture = try LaunchFixture(one.policy)
        defer { fixture.session.end() }
        _ = try fixture.launch()
        for request in try LockDownTests.requests() {
            let reason = try fixture.reason(request)
            #expect(reason["check"]?.string == one.check)
            #expect(reason["setting"]?.string == one.setting && reason["value"] == one.value)
            #expect(reason["policyId"]?.string == "one" && reason["policyName"]?.string == "One")
            let message = reason["message"]?.string ?? ""
            let value = one.value.string ?? one.value.text
            #expect(message.contains("the account is locked down: check \(one.check) failed"))
            #expect(message.contains("\(one.setting) is \(value) in “One”"), "\(message)")
        }
        do {
            _ = try fixture.session.sealsAndOpensOrFails("ann")
            Issue.record("it opens")
        } catch {
            let detail = Dictionary(uniqueKeysWithValues: (error as? MAMError)?.detail.map { ($0.key, $0.value) } ?? [])
            #expect(detail["check"]?.string == one.check && detail["setting"]?.string == one.setting)
            #expect(detail["upn"]?.string == LaunchFixture.ann && detail["policyName"]?.string == "One")
        }
    }

    /// Requests about Ann that only a lock-down refuses.
    static func requests() throws -> [[(key: String, value: JSON)]] {
        [
            [("action", "print")], [("action", "saveTo"), ("location", "accountDocument")],
            [("action", "openFrom"), ("location", "box")], [("action", "url"), ("url", "https://contoso.example/")],
            [("action", "clipboard"), ("length", 5), ("receiver", .null)], [("action", "receive"), ("sender", .null)],
        ]
    }

    @Test("the other account of a transfer names its own cause")
    func other() throws {
        let fixture = try LaunchFixture(
            ["minimumRequiredAppVersion": "2.0"], settings: ["MultiManagedIdentities": true])
        defer { fixture.session.end() }
        _ = try fixture.launch()
        try fixture.place.setPolicy([:])
        #expect(try fixture.session.enroll("bob") == .newPoliciesReceived)
        let receiver: [(key: String, value: JSON)] = [
            ("action", "saveTo"), ("location", "accountDocument"), ("locationAccount", .string(LaunchFixture.ann)),
        ]
        let reason = try fixture.reason(receiver, of: "bob@contoso.example")
        #expect(reason["check"]?.string == "appVersion")
        #expect(reason["message"]?.string?.contains("the account there is locked down: check appVersion") == true)
    }

    @Test("causes that no launch found are named too")
    func others() throws {
        let fixture = try LaunchFixture([:], settings: ["MultiManagedIdentities": true])
        let session = fixture.session
        defer { session.end() }
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        let both = try IdentitySet(.array([.string(LaunchFixture.ann), "bob@contoso.example"]), argument: "name")
        let window = try session.policies.handle(of: PolicySubject(both), in: session, newToken)
        let held = try session.policies.handle(
            of: PolicySubject(try MAMSessionTests.named("ann")), in: session, newToken)
        #expect(try session.message(window).contains("several accounts are shown together"))
        _ = try session.wipes.wipe(try MAMSessionTests.named("ann"), reason: .host)
        let wiping = try fixture.reason([("action", "print")])
        #expect(wiping["check"]?.string == "wipe" && wiping["setting"] == .null)
        #expect(wiping["message"]?.string?.contains("the account is being wiped") == true)
        _ = try session.answering(["wipeData": ["removed": true]])
        #expect(try session.message(held).contains("wiped or unenrolled while this policy handle was held"))
    }

    @Test("an account without its policy yet, and one that may not be used here, name that cause")
    func closed() throws {
        let fixture = try LaunchFixture([:])
        fixture.session.end()
        let device = ("device", JSON.object([("mdmAccountId", "somebody else")]))
        let session = try fixture.place.open([device])
        let text = try JSON(
            parsing: session.policies.check(["action": "print", "account": .string(LaunchFixture.ann)]))
        #expect(text["reason"]?["check"]?.string == "account")
        #expect(text["reason"]?["message"]?.string?.contains("account's data stays closed: ") == true)
        session.end()
    }
}

extension LaunchFixture {
    /// The reason for which a request is refused.
    fileprivate func reason(_ request: [(key: String, value: JSON)], of account: String = LaunchFixture.ann) throws
        -> JSON
    {
        let json = try JSON(parsing: session.policies.check(.object(request + [("account", .string(account))])))
        #expect(json["allowed"]?.bool == false, "\(json.text)")
        return try #require(json["reason"], "\(json.text)")
    }
}

extension Session {
    /// The reason for which a handle refuses a link.
    fileprivate func message(_ handle: PolicyHandle) throws -> String {
        try policies.open(handle, Link("https://contoso.example/"))["reason"]?["message"]?.string ?? ""
    }

    fileprivate func sealsAndOpensOrFails(_ name: String) throws {
        let sealer = try protection.sealer(for: try MAMSessionTests.named(name), content: .data)
        var container = [UInt8](repeating: 0, count: sealer.length(of: 1) ?? 0)
        try [UInt8(1)].withUnsafeBytes { plain in
            try container.withUnsafeMutableBytes { try sealer.seal(plain, into: $0) }
        }
        _ = try container.withUnsafeBytes { try protection.opener(for: try Container.header($0)) }
    }
}
