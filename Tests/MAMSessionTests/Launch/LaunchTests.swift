import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("what launches find, and what follows")
struct LaunchTests {
    @Test("an account that is blocked answers closed in this session until a later launch finds it open")
    func guarded() throws {
        let desk = try Desk(["minimumRequiredAppVersion": "2.0"])
        let session = desk.session
        defer { session.end() }
        let handle = try session.policy(of: PolicySubject(try named("ann")), newToken)
        #expect(try session.allows("print", Desk.ann) == true)  // nobody has launched: nothing is guarded
        #expect(Desk.shown(try desk.look()) == "blocked: block appVersion")
        #expect(try desk.blocked() == [])
        let report = try desk.launch()
        #expect(Desk.shown(report) == "blocked: block appVersion")
        #expect(report["didSucceed"]?.bool == false)
        #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-ann")
        #expect(report["findings"]?.array?.first?["policyName"]?.string == "One")
        #expect(try desk.blocked() == ["conditionalLaunchBlocked"])
        #expect(try session.allows("print", Desk.ann) == false)
        #expect(try session.json(handle)["lockDown"]?.bool == true)
        let events = session.allEvents()
        #expect(events.contains { $0["event"]?.string == "accountBlocked" && $0["blockReason"]?.integer == 1 })
        #expect(!events.contains { $0["event"]?.string == "policyDidChange" })
        // Another session of the app has found nothing.
        let other = try desk.place.host()
        #expect(try other.allows("print", Desk.ann) == true)
        other.end()
        try desk.place.setPolicy(["minimumRequiredAppVersion": "1.0"])
        _ = try session.checkInAll()
        #expect(try session.allows("print", Desk.ann) == false)  // until it was looked at
        #expect(Desk.shown(try desk.resume()) == "allowed")
        #expect(try session.allows("print", Desk.ann) == true)
        #expect(try desk.blocked() == [])
        #expect(try session.json(handle)["lockDown"]?.bool == false)
        #expect(
            session.allEvents().contains { $0["event"]?.string == "accountBlocked" && $0["blockReason"]?.integer == 0 })
    }

    @Test("data of a blocked account is not opened, and what is open can still be saved")
    func locked() throws {
        let desk = try Desk(["minimumRequiredAppVersion": "2.0"])
        defer { desk.session.end() }
        #expect(try desk.session.sealsAndOpens("ann") == nil)
        _ = try desk.launch()
        #expect(try desk.session.sealsAndOpens("ann") == .locked)
    }

    @Test("a finding that wipes wipes at launch, and not at a look")
    func wipes() throws {
        let desk = try Desk(["minimumWipeAppVersion": "1.1"])
        defer { desk.session.end() }
        #expect(Desk.shown(try desk.look()) == "wiped: wipe appVersion")
        #expect(try desk.session.enrolledAccounts().array?.count == 1)
        let report = try desk.launch()
        #expect(Desk.shown(report) == "wiped: wipe appVersion")
        #expect(report["didSucceed"]?.bool == false)
        #expect(try desk.session.enrolledAccounts().array?.count == 0)
        let (questions, events) = try desk.session.answering(["wipeData": ["removed": true]])
        #expect(questions == ["wipeData"])
        let told = events.first { $0["event"]?.string == "wipeDidComplete" }
        #expect(told?["reason"]?.string == "conditionalLaunch")
    }

    @Test("a wipe under way is told by a launch, a resume and a look, until the data is removed")
    func wiping() throws {
        let desk = try Desk([:])
        defer { desk.session.end() }
        _ = try desk.session.wipe(try named("ann"), reason: "host")
        for report in [try desk.look(), try desk.launch(), try desk.resume()] {
            #expect(Desk.shown(report) == "wiped: wipe wipe")
            #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-ann")
        }
        _ = try desk.session.answering(["wipeData": ["removed": true]])
        for report in [try desk.look(), try desk.launch()] { #expect(Desk.shown(report) == "allowed") }
    }

    @Test("a warning about an account is told once, and again when it changes")
    func warnings() throws {
        let desk = try Desk(["minimumWarningAppVersion": "2.0"])
        defer { desk.session.end() }
        #expect(Desk.shown(try desk.look()) == "warned: warn appVersion")
        #expect(try desk.launch()["outcome"]?.string == "warned")
        #expect(Desk.shown(try desk.launch()) == "allowed")
        #expect(Desk.shown(try desk.resume()) == "allowed")
        #expect(try desk.look()["outcome"]?.string == "allowed")
        #expect(try desk.look()["findings"]?.array?.first?["dismissed"]?.bool == true)
        try desk.place.setPolicy(["minimumWarningAppVersion": "2.1"])
        _ = try desk.session.checkInAll()
        #expect(Desk.shown(try desk.launch()) == "warned: warn appVersion")
        #expect(Desk.shown(try desk.launch()) == "allowed")
        try desk.place.setPolicy([:])
        _ = try desk.session.checkInAll()
        #expect(Desk.shown(try desk.launch()) == "allowed")
        try desk.place.setPolicy(["minimumWarningAppVersion": "2.1"])
        _ = try desk.session.checkInAll()
        #expect(Desk.shown(try desk.launch()) == "warned: warn appVersion")  // it was gone in between
        #expect(try desk.session.allows("print", Desk.ann) == true)
    }

    @Test("every account is told of, and each is blocked for itself")
    func several() throws {
        let place = try Workplace(policy: nil)
        try place.setPolicy([
            "minimumRequiredOsVersion": "23.0", "appActionIfUnableToAuthenticateUser": "block",
        ])
        let session = try place.open(Workplace.host([("settings", ["MultiManagedIdentities": true])]))
        defer { session.end() }
        for name in ["ann", "bob"] { #expect(try session.enroll(name) == .newPoliciesReceived) }
        #expect(Desk.shown(try Desk.finish(session, try session.launch())) == "allowed")
        try place.admin(["action": "user.set", "user": "bob@contoso.example", "enabled": false])
        _ = try session.checkInAll()
        let report = try Desk.finish(session, try session.launch())
        #expect(Desk.shown(report) == "blocked: block disabledAccount")
        #expect(report["findings"]?.array?.first?["accountId"]?.string == "oid-bob")
        #expect(try session.allows("print", "ann@contoso.example") == true)
        #expect(try session.allows("print", "bob@contoso.example") == false)
        let shown = try Desk.finish(session, try session.setUIIdentity(try Window(nil), try identities("ann")))
        #expect(shown["name"]?.string == "success")
        let hidden = try Desk.finish(session, try session.setUIIdentity(try Window(nil), try identities("bob")))
        #expect(hidden["name"]?.string == "failed")
    }

    @Test("what a policy of another platform says of systems is told as not applicable, never as passed")
    func otherPlatform() throws {
        let desk = try Desk([
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "minimumRequiredOsVersion": "99.0",
        ])
        defer { desk.session.end() }
        let report = try desk.launch()
        #expect(Desk.shown(report) == "allowed")
        #expect(report["notApplicable"]?.array?.first?["setting"]?.string == "minimumRequiredOsVersion")
        #expect(report["notApplicable"]?.array?.first?["accountId"]?.string == "oid-ann")
    }

    @Test("a host that says it is of the policy's platform is judged by its versions, and by its own version alone")
    func ownPlatform() throws {
        for (device, outcome) in [
            (["platform": "ios", "version": "14.7"], "blocked: block osVersion"),
            (["platform": "ios", "version": "14.8"], "allowed"), (["platform": "ios"], "blocked: block osVersion"),
            (["platform": "windows", "version": "14.7"], "allowed"),
        ] as [(JSON, String)] {
            let place = try Workplace(policy: nil)
            try place.setPolicy([
                "@odata.type": "#microsoft.graph.iosManagedAppProtection", "minimumRequiredOsVersion": "14.8",
            ])
            let session = try place.open([("questions", "events"), ("device", device)])
            defer { session.end() }
            #expect(try session.enroll("ann") == .newPoliciesReceived)
            #expect(Desk.shown(try Desk.finish(session, try session.launch())) == outcome, "\(device.text)")
        }
        let place = try Workplace(policy: nil)
        let error = #expect(throws: MAMError.self) { try place.open([("device", ["platform": "iOS"])]) }
        #expect(error?.code == .argument && error?.message.contains("linux, ios, android, windows") == true)
    }

    @Test("a list of a million bytes of models, and a version as long, cost a moment and close")
    func hostile() throws {
        let models = (0..<100_000).map { "Model \($0)" }.joined(separator: ";")
        let desk = try Desk([
            "@odata.type": "#libmam.linuxManagedAppProtection", "allowedIosDeviceModels": .string(models),
            "minimumWipeAppVersion": .string(String(repeating: "1.", count: 200_000)),
            "periodOfflineBeforeAccessCheck": "P99999999999999999999999D",
        ])
        defer { desk.session.end() }
        let text = try desk.launch().text
        #expect(text.utf8.count < 10_000)
        #expect(Desk.shown(try desk.look()) == "blocked: block deviceModel, block appVersion")
        #expect(try desk.session.enrolledAccounts().array?.count == 1)
    }
}
