import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("Enrollment")
struct EnrollmentTests {
    @Test("enroll, check in unchanged, changed and untargeted, unenroll")
    func story() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        #expect(try session.allows("print", "OID-ANN") == false)
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
        try place.target([
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Second", "dataBackupBlocked": true,
        ])
        #expect(try session.checkInAll() == .newPoliciesReceived)
        #expect(try session.allows("backup", "ann@contoso.example") == false)
        for policy in try place.admin(["action": "policy.list"])["policies"]?.array ?? [] {
            try place.admin(["action": "policy.remove", "policy": policy["id"] ?? .null])
        }
        #expect(try session.checkInAll() == .noPolicyReceived)
        #expect(try session.allows("print", "ann@contoso.example") == true)
        #expect(
            try session.finish(try session.registrations.deregister(try named("ann"), isWipe: false))
                == .unenrollmentSuccess)
        #expect(try session.registrations.registeredAccounts() == [])
        let events = session.allEvents().compactMap { $0["event"]?.string }
        #expect(
            events.contains("enrollmentRequest") && events.contains("policyRequest")
                && events.contains("unenrollRequest"))
    }

    private static func user(_ key: String, _ value: JSON) -> JSON {
        .object([("action", "user.set"), ("user", "ann@contoso.example"), (key, value)])
    }

    private static let refusingRequests: [(JSON, StatusCode)] = [
        (user("licensed", false), .accountNotLicensed), (user("enabled", false), .authRequired),
        (user("migrating", true), .tenantMigration),
        (["action": "user.remove", "user": "ann@contoso.example", "force": true], .authRequired),
        (["action": "fault.set", "fault": "network"], .enrollmentEndPointNetworkFailure),
        (["action": "fault.set", "fault": "timeout"], .timeout),
        (["action": "fault.set", "fault": "parsing"], .parsingFailure),
        (["action": "fault.set", "fault": "internal"], .internalError),
    ]

    @Test("each refusal of the authority has its code", arguments: EnrollmentTests.refusingRequests)
    func refusals(_ request: JSON, _ code: StatusCode) throws {
        let place = try SessionFixture()
        try place.admin(request)
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == code)
        #expect(try session.registrations.enrolledAccounts() == [])
        #expect(try session.registrations.registeredAccounts().array?.count == 1)
    }

    @Test func nobodyTargetedIs225AndAMissingAuthorityIs204() throws {
        let place = try SessionFixture(policy: nil)
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .licensedNotTargeted)
        let other = try SessionFixture()
        let lost = try other.open(authority: other.root + "/none.db")
        defer { lost.end() }
        #expect(try lost.enroll("ann") == .locationServiceFailure)
    }

    @Test func codesThatTheLibraryDecides() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.checkInAll() == .appNotEnrolled)
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.enroll("ANN") == .alreadyEnrolled)
        #expect(try session.finish(try session.registrations.checkIn(try named("bob"))) == .notEnrolledAccount)
        #expect(try session.enroll("bob") == .singleManagedAccountMode)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        try session.setOverride("MultiManagedIdentities", true)
        #expect(
            try session.finish(try session.registrations.deregister(try named("bob"), isWipe: false))
                == .unenrollmentSuccess)
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        #expect(throws: MAMError(.argument, "")) { try session.registrations.registerAndEnroll([:]) }
    }

    @Test func anExtensionMayNotEnroll() throws {
        let place = try SessionFixture()
        let extending: [(key: String, value: JSON)] = [("settings", ["ContainingAppBundleId": "com.example.notes"])]
        #expect(throws: MAMError(.denied, "")) { try place.open(app: "com.example.notes.share", extending) }
        try place.open(extensions: ["com.example.notes.share"]).end()
        let session = try place.open(app: "com.example.notes.share", extending)
        defer { session.end() }
        #expect(try session.enroll("ann") == .unsupportedAPI)
        #expect(try session.registrations.registeredAccounts() == [])
    }

    private static let otherDevices: [(JSON, StatusCode)] = [
        (["mdmAccountId": "oid-bob"], .mdmEnrolledDifferentUser),
        (["managedAppConfig": ["IntuneMAMUPN": "bob@contoso.example"]], .notEmmAccount),
        (
            ["managedAppConfig": ["IntuneMAMUPN": "bob@contoso.example", "IntuneMAMAllowedAccountsOnly": "enabled"]],
            .notDeviceAccount
        ),
    ]

    @Test("the device's account and the configured one exclude others", arguments: EnrollmentTests.otherDevices)
    func deviceAccounts(_ device: JSON, _ code: StatusCode) throws {
        let place = try SessionFixture()
        let session = try place.open([("device", device)])
        defer { session.end() }
        let operation = try session.registrations.registerAndEnroll([
            "accountId": "oid-ann", "upn": "ann@contoso.example",
        ])
        #expect(try session.finish(operation) == code)
    }

    @Test func aRemovedRegistrationEnrollsAgainUnlessTheUserIsGone() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        func remove() throws {
            for registration in try place.admin(["action": "registration.list"])["registrations"]?.array ?? [] {
                try place.admin(["action": "registration.remove", "registration": registration["id"] ?? .null])
            }
        }
        try remove()
        #expect(try session.checkInAll() == .policyRecordGone)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        try session.operations.runDueNow()
        #expect(try place.admin(["action": "registration.list"])["registrations"]?.array?.count == 1)
        try remove()
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        #expect(try session.checkInAll() == .policyRecordGone)
        try session.operations.runDueNow()
        #expect(session.allEvents().contains { $0["status"]?["code"]?.integer == 221 })
        #expect(try session.allows("print", "ann@contoso.example") == false)
    }

    @Test("check-ins and retries come when they are due, and not before")
    func schedule() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        _ = session.allEvents()
        place.time.advance(.minutes(29))
        try session.operations.runDueNow()
        #expect(session.allEvents().isEmpty)
        place.time.advance(.minutes(2))
        try session.operations.runDueNow()
        #expect(session.allEvents().contains { $0["status"]?["code"]?.integer == 101 })
        try place.admin(["action": "authority.set", "checkInInterval": "PT2H"])
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
        _ = session.allEvents()
        place.time.advance(.minutes(119))
        try session.operations.runDueNow()
        #expect(session.allEvents().isEmpty)
        place.time.advance(.minutes(2))
        try session.operations.runDueNow()
        #expect(!session.allEvents().isEmpty)
    }

    @Test("setting the clock back a year does not stop check-ins for a year")
    func clockSetBack() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        _ = session.allEvents()
        place.time.advance(.days(-365))
        try session.operations.runDueNow()
        #expect(session.allEvents().contains { $0["status"]?["code"]?.integer == 101 })
    }

    @Test func aFailedEnrollmentIsTriedAgain() throws {
        let place = try SessionFixture()
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "licensed": false])
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .accountNotLicensed)
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "licensed": true])
        place.time.advance(.hours(11))
        try session.operations.runDueNow()
        #expect(try session.registrations.enrolledAccounts() == [])
        place.time.advance(.hours(14))
        try session.operations.runDueNow()
        #expect(try session.registrations.enrolledAccounts().array?.count == 1)
    }

    @Test func anAccessTokenIsAskedFor() throws {
        let place = try SessionFixture()
        let file = place.root + "/token"
        try writeFile(file, "open sesame\n")
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "accessTokenFile": .string(file)])
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .authRequired)
        session.events.setDelegate { question in
            let text = Array("open sesame".utf8)
            text.withUnsafeBytes { bytes in
                if let secret = try? SecretBytes(copying: bytes) {
                    try? session.events.answer(question.id, secret: secret)
                }
            }
        }
        place.time.advance(.hours(25))
        try session.operations.runDueNow()
        #expect(try session.registrations.enrolledAccounts().array?.count == 1)
        session.events.setDelegate(nil)
    }

    @Test func aWorkerDoesItByItself() throws {
        let place = try SessionFixture()
        let session = try place.open(worker: true)
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        var seen: Set<String> = []
        while let event = try? session.events.next(milliseconds: 200) { seen.insert(event["event"]?.string ?? "") }
        #expect(seen.isSuperset(of: ["enrollmentRequest", "policyRequest", "policyDidChange"]))
    }
}
