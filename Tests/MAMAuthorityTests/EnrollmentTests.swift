import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("enrollment")
struct EnrollmentTests {
    @Test("an enrollment has the user's names, and is listed")
    func enroll() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll("ANN@contoso.example")
        #expect(enrollment.accountId == "ann-id")
        #expect(enrollment.upn == "ann@contoso.example")
        #expect(enrollment.tenantId == "t-1")
        #expect(enrollment.wipeMark == 0)
        var listed = try fixture.perform("registration.list")["registrations"]
        let time = JSON.string(AuthorityFixture.time.rfc3339)
        #expect(
            listed == [
                [
                    "id": .string(enrollment.registration), "accountId": "ann-id", "upn": "ann@contoso.example",
                    "app": "notes", "appVersion": "1.0", "deviceTag": "laptop", "platform": "linux",
                    "platformVersion": "12", "sdkVersion": "0.1.0", "createdDateTime": time, "lastSyncDateTime": .null,
                    "stateGeneration": 7,
                ]
            ])
        let reply = try app.checkIn(enrollment)
        #expect(reply.policies.map(\.id) == ["strict"])
        #expect(reply.policies.first?.document == AuthorityFixture.policy(id: "strict"))
        #expect(reply.wipe == nil && reply.interval == nil && !reply.isDisabled)
        listed = try fixture.perform("registration.list", ["user": "ann-id", "app": "notes"])["registrations"]
        #expect(listed?.array?.first?["lastSyncDateTime"] == time)
        #expect(try fixture.refusal("registration.list", ["app": "mail"])?.code == .notFound)
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        #expect(try fixture.perform("registration.list", ["app": "mail"])["registrations"] == [])
        #expect(try fixture.refusal("registration.list", ["user": "eve"])?.code == .notFound)
    }

    @Test("enrolling again replaces the former registration")
    func again() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let first = try app.enroll()
        let second = try app.enroll()
        _ = try App(fixture, device: "desktop").enroll()
        #expect(try fixture.perform("registration.list")["registrations"]?.array?.count == 2)
        #expect(try failure { try app.checkIn(first) }?.code == .policyRecordGone)
        _ = try app.checkIn(second)
    }

    @Test("users are found by id, by UPN, or by both where they agree")
    func names() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.add", ["upn": "bob", "accountId": "bob-id"])
        let app = App(fixture)
        #expect(try app.enroll(nil, id: "ANN-ID").accountId == "ann-id")
        #expect(try app.enroll(id: "ann-id", tenant: "T-1").accountId == "ann-id")
        // A former UPN that no user has now.
        #expect(try app.enroll("ann@old.example", id: "ann-id").upn == "ann@contoso.example")
        for (upn, id, tenant, isRefused) in [
            ("bob", "ann-id", nil, false), ("ann@contoso.example", "eve-id", nil, true), ("eve", nil, nil, true),
            ("", nil, nil, true), ("ann@contoso.example", nil, "t-2", false),
        ] as [(String, String?, String?, Bool)] {
            let failure = try failure { try app.enroll(upn, id: id, tenant: tenant) }
            #expect(failure?.code == .authRequired)
            #expect(failure?.isUserRefused == isRefused)
            #expect(failure?.needsToken == false)
            #expect(failure?.message.isEmpty == false)
        }
        #expect(try failure { try app.enroll(nil) }?.code == .nilAccount)
    }

    @Test("the codes of refused users and devices")
    func standing() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        func code(_ key: String, _ value: Bool) throws -> AuthorityFailure? {
            try fixture.perform("user.set", ["user": "ann-id", key: .bool(value)])
            defer { _ = try? fixture.perform("user.set", ["user": "ann-id", key: .bool(!value)]) }
            return try failure { try app.enroll() }
        }
        let disabled = try code("enabled", false)
        #expect(disabled?.code == .authRequired && disabled?.isUserRefused == true)
        #expect(try code("licensed", false)?.code == .accountNotLicensed)
        #expect(try code("migrating", true)?.code == .tenantMigration)
        _ = try app.enroll()
        try fixture.perform("device.block", ["deviceTag": "laptop"])
        #expect(try failure { try app.enroll() }?.code == .deviceBlockedEnrollment)
        _ = try App(fixture, device: "desktop").enroll()
        #expect(
            try fixture.perform("device.unblock", ["deviceTag": "laptop"])
                == ["deviceTag": "laptop", "blocked": false, "note": .null])
        _ = try app.enroll()
        #expect(try failure { try App(fixture, app: "other").enroll() }?.code == .licensedNotTargeted)
    }

    @Test("enrolled accounts are not affected by a device block, and learn that they are disabled")
    func standingLater() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        try fixture.perform("device.block", ["deviceTag": "laptop"])
        try fixture.perform("user.set", ["user": "ann-id", "enabled": false])
        let reply = try app.checkIn(enrollment)
        #expect(reply.isDisabled && reply.policies.count == 1)
        try fixture.perform("user.set", ["user": "ann-id", "licensed": false])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .accountNotLicensed)
        try fixture.perform("user.set", ["user": "ann-id", "migrating": true])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .tenantMigration)
    }

    @Test("a required token must be the user's")
    func tokens() throws {
        let fixture = try AuthorityFixture()
        let token = try fixture.write("secret\n", to: "token")
        try fixture.perform("user.set", ["user": "ann-id", "accessTokenFile": .string(token)])
        let app = App(fixture)
        let none = try failure { try app.enroll() }
        #expect(none?.code == .authRequired && none?.needsToken == true && none?.isUserRefused == false)
        let wrong = try failure { try app.enroll(token: "secret\n") }
        #expect(wrong?.code == .authRequired && wrong?.needsToken == false)
        _ = try app.enroll(token: "secret")
    }

    @Test("the reply follows the removal of a policy, and of the registration")
    func later() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        try fixture.perform("policy.remove", ["policy": "strict"])
        #expect(try app.checkIn(enrollment).policies.isEmpty)
        let removed = try fixture.perform("registration.remove", ["registration": .string(enrollment.registration)])
        #expect(removed["upn"] == "ann@contoso.example")
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }

    @Test("unenrolling is idempotent")
    func unenroll() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        try app.unenroll(enrollment)
        try app.unenroll(enrollment)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }

    @Test("a registration is valid for its user and app alone")
    func foreign() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        let enrollment = try App(fixture).enroll()
        #expect(try failure { try App(fixture, app: "mail").checkIn(enrollment) }?.code == .policyRecordGone)
        try App(fixture, app: "mail").unenroll(enrollment)
        _ = try App(fixture).checkIn(enrollment)
    }

    @Test("missing files, files of another kind, and unreadable policies")
    func files() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        func codes(_ path: String) throws -> [StatusCode?] {
            let app = App(fixture, path: path)
            return [
                try failure { try app.enroll() }?.code, try failure { try app.checkIn(enrollment) }?.code,
                try failure { try app.unenroll(enrollment) }?.code,
            ]
        }
        let missing = StatusCode.locationServiceFailure
        #expect(try codes(fixture.folder + "/none.db") == [missing, missing, missing])
        let text = try fixture.write(String(repeating: "text", count: 999), to: "text.db")
        #expect(try codes(text) == [.parsingFailure, .parsingFailure, .parsingFailure])
        let throughFile = text + "/authority.db"
        #expect(
            try codes(throughFile) == [
                .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .policyEndPointNetworkFailure,
            ])
        try Database(path: fixture.path, mode: .readWrite).execute("UPDATE policies SET document = '{'")
        #expect(try failure { try app.checkIn(enrollment) }?.code == .parsingFailure)
        try Database(path: fixture.path, mode: .readWrite).execute("DROP TABLE policies")
        #expect(try failure { try app.checkIn(enrollment) }?.code == .parsingFailure)
        try Database(path: fixture.path, mode: .readWrite).execute("PRAGMA user_version = \(Schema.version + 1)")
        #expect(try failure { try app.enroll() }?.code == .parsingFailure)
    }

    @Test("four threads enroll at once")
    func threads() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        #expect(inThreads(4) { _ in for _ in 0..<5 { _ = try app.enroll() } }.isEmpty)
        let devices = (0..<4).map { App(fixture, device: "device-\($0)") }
        #expect(inThreads(4) { number in _ = try devices[number].checkIn(try devices[number].enroll()) }.isEmpty)
        #expect(try fixture.perform("registration.list")["registrations"]?.array?.count == 5)
    }
}
