import MAMPolicy
import MAMSession
import MAMState
import MAMSupport
import Testing

@Suite("findings of launches and their consequences")
struct LaunchTests {
    @Test("a blocked account stays closed in this session until a later launch passes")
    func guarded() throws {
        let fixture = try LaunchFixture(["minimumRequiredAppVersion": "2.0"])
        let session = fixture.session
        defer { session.end() }
        let handle = try session.policies.handle(of: PolicySubject(try named("ann")), in: session, newToken)
        #expect(try session.allows("print", LaunchFixture.ann) == true)  // nobody has launched: nothing is guarded
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block appVersion")
        #expect(try fixture.blocked() == [])
        let report = try fixture.launch()
        #expect(LaunchFixture.shown(report) == "blocked: block appVersion")
        #expect(report["didSucceed"]?.bool == false)
        #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-ann")
        #expect(report["findings"]?.array?.first?["policyName"]?.string == "One")
        #expect(try fixture.blocked() == ["conditionalLaunchBlocked"])
        #expect(try session.allows("print", LaunchFixture.ann) == false)
        #expect(try session.policies.json(handle)["lockDown"]?.bool == true)
        let events = session.allEvents()
        #expect(events.contains { $0["event"]?.string == "accountBlocked" && $0["blockReason"]?.integer == 1 })
        #expect(!events.contains { $0["event"]?.string == "policyDidChange" })
        // Another session of the app has found nothing.
        let other = try fixture.place.host()
        #expect(try other.allows("print", LaunchFixture.ann) == true)
        other.end()
        try fixture.place.setPolicy(["minimumRequiredAppVersion": "1.0"])
        _ = try session.checkInAll()
        #expect(try session.allows("print", LaunchFixture.ann) == false)  // until it was looked at
        #expect(LaunchFixture.shown(try fixture.resume()) == "allowed")
        #expect(try session.allows("print", LaunchFixture.ann) == true)
        #expect(try fixture.blocked() == [])
        #expect(try session.policies.json(handle)["lockDown"]?.bool == false)
        #expect(
            session.allEvents().contains { $0["event"]?.string == "accountBlocked" && $0["blockReason"]?.integer == 0 })
    }

    @Test("data of a blocked account cannot be opened, and open files can still be saved")
    func locked() throws {
        let fixture = try LaunchFixture(["minimumRequiredAppVersion": "2.0"])
        defer { fixture.session.end() }
        #expect(try fixture.session.sealsAndOpens("ann") == nil)
        _ = try fixture.launch()
        #expect(try fixture.session.sealsAndOpens("ann") == .locked)
    }

    @Test("a wiping finding wipes at a launch, but not at an evaluation")
    func wipes() throws {
        let fixture = try LaunchFixture(["minimumWipeAppVersion": "1.1"])
        defer { fixture.session.end() }
        #expect(LaunchFixture.shown(try fixture.look()) == "wiped: wipe appVersion")
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 1)
        let report = try fixture.launch()
        #expect(LaunchFixture.shown(report) == "wiped: wipe appVersion")
        #expect(report["didSucceed"]?.bool == false)
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 0)
        let (questions, events) = try fixture.session.answering(["wipeData": ["removed": true]])
        #expect(questions == ["wipeData"])
        let told = events.first { $0["event"]?.string == "wipeDidComplete" }
        #expect(told?["reason"]?.string == "conditionalLaunch")
    }

    @Test("a wipe under way is reported by a launch, a resume and an evaluation until the data is removed")
    func wiping() throws {
        let fixture = try LaunchFixture([:])
        defer { fixture.session.end() }
        _ = try fixture.session.wipes.wipe(try named("ann"), reason: .host)
        for report in [try fixture.look(), try fixture.launch(), try fixture.resume()] {
            #expect(LaunchFixture.shown(report) == "wiped: wipe wipe")
            #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-ann")
        }
        _ = try fixture.session.answering(["wipeData": ["removed": true]])
        for report in [try fixture.look(), try fixture.launch()] { #expect(LaunchFixture.shown(report) == "allowed") }
    }

    @Test("a warning about an account is reported once, and again when it changes")
    func warnings() throws {
        let fixture = try LaunchFixture(["minimumWarningAppVersion": "2.0"])
        defer { fixture.session.end() }
        #expect(LaunchFixture.shown(try fixture.look()) == "warned: warn appVersion")
        #expect(try fixture.launch()["outcome"]?.string == "warned")
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        #expect(LaunchFixture.shown(try fixture.resume()) == "allowed")
        #expect(try fixture.look()["outcome"]?.string == "allowed")
        #expect(try fixture.look()["findings"]?.array?.first?["dismissed"]?.bool == true)
        try fixture.place.setPolicy(["minimumWarningAppVersion": "2.1"])
        _ = try fixture.session.checkInAll()
        #expect(LaunchFixture.shown(try fixture.launch()) == "warned: warn appVersion")
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        try fixture.place.setPolicy([:])
        _ = try fixture.session.checkInAll()
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        try fixture.place.setPolicy(["minimumWarningAppVersion": "2.1"])
        _ = try fixture.session.checkInAll()
        // The warning had disappeared in between.
        #expect(LaunchFixture.shown(try fixture.launch()) == "warned: warn appVersion")
        #expect(try fixture.session.allows("print", LaunchFixture.ann) == true)
    }

    @Test("every account is reported, and each is blocked separately")
    func several() throws {
        let place = try SessionFixture(policy: nil)
        try place.setPolicy([
            "minimumRequiredOsVersion": "23.0", "appActionIfUnableToAuthenticateUser": "block",
        ])
        let session = try place.open(SessionFixture.host([("settings", ["MultiManagedIdentities": true])]))
        defer { session.end() }
        for name in ["ann", "bob"] { #expect(try session.enroll(name) == .newPoliciesReceived) }
        #expect(LaunchFixture.shown(try LaunchFixture.finish(session, try session.launches.launch())) == "allowed")
        try place.admin(["action": "user.set", "user": "bob@contoso.example", "enabled": false])
        _ = try session.checkInAll()
        let report = try LaunchFixture.finish(session, try session.launches.launch())
        #expect(LaunchFixture.shown(report) == "blocked: block disabledAccount")
        #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-bob")
        #expect(try session.allows("print", "ann@contoso.example") == true)
        #expect(try session.allows("print", "bob@contoso.example") == false)
        let shown = try LaunchFixture.finish(
            session, try session.identitySwitches.setUIIdentity(try Window(nil), try identities("ann")))
        #expect(shown["name"]?.string == "success")
        let hidden = try LaunchFixture.finish(
            session, try session.identitySwitches.setUIIdentity(try Window(nil), try identities("bob")))
        #expect(hidden["name"]?.string == "failed")
    }

    @Test("system rules of another platform's policy are reported as not applicable, never as passed")
    func otherPlatform() throws {
        let fixture = try LaunchFixture([
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "minimumRequiredOsVersion": "99.0",
        ])
        defer { fixture.session.end() }
        let report = try fixture.launch()
        #expect(LaunchFixture.shown(report) == "allowed")
        #expect(report["notApplicable"]?.array?.first?["setting"]?.string == "minimumRequiredOsVersion")
        #expect(report["notApplicable"]?.array?.first?["accountId"]?.string == "oid-ann")
    }

    @Test("a host that states the policy's platform is checked by its rules, and by its stated version only")
    func ownPlatform() throws {
        for (device, outcome) in [
            (["platform": "ios", "version": "14.7"], "blocked: block osVersion"),
            (["platform": "ios", "version": "14.8"], "allowed"), (["platform": "ios"], "blocked: block osVersion"),
            (["platform": "windows", "version": "14.7"], "allowed"),
        ] as [(JSON, String)] {
            let place = try SessionFixture(policy: nil)
            try place.setPolicy([
                "@odata.type": "#microsoft.graph.iosManagedAppProtection", "minimumRequiredOsVersion": "14.8",
            ])
            let session = try place.open([("questions", "events"), ("device", device)])
            defer { session.end() }
            #expect(try session.enroll("ann") == .newPoliciesReceived)
            #expect(
                LaunchFixture.shown(try LaunchFixture.finish(session, try session.launches.launch())) == outcome,
                "\(device.text)")
        }
        let place = try SessionFixture(policy: nil)
        let error = #expect(throws: MAMError.self) { try place.open([("device", ["platform": "iOS"])]) }
        #expect(error?.code == .argument && error?.message.contains("linux, ios, android, windows") == true)
    }

    @Test("a model list and a version of a million bytes each are evaluated quickly and close the account")
    func hostile() throws {
        let models = (0..<100_000).map { "Model \($0)" }.joined(separator: ";")
        let fixture = try LaunchFixture([
            "@odata.type": "#libmam.linuxManagedAppProtection", "allowedIosDeviceModels": .string(models),
            "minimumWipeAppVersion": .string(String(repeating: "1.", count: 200_000)),
            "periodOfflineBeforeAccessCheck": "P99999999999999999999999D",
        ])
        defer { fixture.session.end() }
        let text = try fixture.launch().text
        #expect(text.utf8.count < 10_000)
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block deviceModel, block appVersion")
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 1)
    }
}
