import MAMPolicy
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// An app on a device, as the rules see it once its signature was verified.
struct KeyHolder {
    var account = AccountName(upn: "ann@contoso.example")
    var app = "notes"
    var device = "laptop"
    var key = "key-1"

    var facts: AppFacts { AppFacts(id: app, version: "1.0") }
    var host: HostFacts {
        HostFacts(
            deviceTag: device, platform: "linux", platformVersion: "12", model: nil, libraryVersion: "0.9.0",
            stateCounter: 1)
    }

    func enroll(
        _ fixture: ServiceFixture, invitation: String?, mark: Int64? = nil
    ) throws -> Result<Store.EnrollmentByKeyResult, Refusal> {
        let request = EnrollmentByKey(
            account: account, app: facts, host: host, wipeMark: mark, key: Array(key.utf8), thumbprint: key,
            sealKey: [1], invitation: invitation.map { Service.digest(ofInvitation: Array($0.utf8)) })
        return try fixture.store.database.transaction { () throws(MAMError) in
            try fixture.store.enroll(request, now: fixture.now)
        }
    }

    /// The registration that an enrollment granted; nil for another result.
    func registration(_ fixture: ServiceFixture, mark: Int64? = nil) throws -> Registrant? {
        let result = try enroll(fixture, invitation: fixture.invite(account.accountId ?? account.upn ?? ""), mark: mark)
        guard case .success(.enrolled(let registrant, _, _)) = result else { return nil }
        return registrant
    }

    /// The word for the result of a check-in.
    func checkIn(_ fixture: ServiceFixture, _ registration: String) throws -> String {
        guard let holder = try fixture.store.registrant(registration: registration) else { return "unknown" }
        switch try fixture.store.standing(of: holder, app: facts, host: host) {
        case .success(.wipe(let wipe)): return "wipe \(wipe.id ?? 0)"
        case .success(.live): return "live"
        case .failure(let refusal): return refusal.rawValue
        }
    }

    func report(_ fixture: ServiceFixture, _ registration: String, wipe: Int64?) throws {
        let holder = try #require(try fixture.store.registrant(registration: registration))
        try fixture.store.reportWipe(holder, wipe: wipe, reason: .administrator, host: host, now: fixture.now)
    }
}

private func refusal(_ result: Result<Store.EnrollmentByKeyResult, Refusal>) -> Refusal? {
    if case .failure(let refusal) = result { refusal } else { nil }
}

@Suite("rules of a service")
struct RuleTests {
    @Test("an invitation enrolls once, and the same key again is the same registration")
    func invitationOnce() throws {
        let fixture = try ServiceFixture()
        let code = try fixture.invite()
        let first = KeyHolder()
        guard case .success(.enrolled(let made, _, true)) = try first.enroll(fixture, invitation: code) else {
            Issue.record("the invitation does not enroll")
            return
        }
        guard case .success(.enrolled(let again, _, false)) = try first.enroll(fixture, invitation: code) else {
            Issue.record("the repeated request does not enroll")
            return
        }
        #expect(again.registration == made.registration)
        #expect(refusal(try KeyHolder(key: "key-2").enroll(fixture, invitation: code)) == .needsToken)
        #expect(try first.checkIn(fixture, made.registration) == "live")
    }

    @Test("refusals of an enrollment")
    func refusals() throws {
        let fixture = try ServiceFixture()
        let holder = KeyHolder()
        #expect(refusal(try holder.enroll(fixture, invitation: nil)) == .needsToken)
        #expect(refusal(try holder.enroll(fixture, invitation: "0123")) == .needsToken)
        let code = try fixture.invite()
        for account in [AccountName(upn: "bob@contoso.example"), AccountName(accountId: "bob-id"), AccountName()] {
            #expect(refusal(try KeyHolder(account: account).enroll(fixture, invitation: code)) == .wrongUser)
        }
        let other = AccountName(upn: "ann@contoso.example", tenantId: "fabrikam")
        #expect(refusal(try KeyHolder(account: other).enroll(fixture, invitation: code)) == .wrongUser)
        #expect(refusal(try KeyHolder(app: "chess").enroll(fixture, invitation: code)) == .notTargeted)
        let forChess = try fixture.invite(app: "chess")
        #expect(refusal(try holder.enroll(fixture, invitation: forChess)) == .needsToken)

        let changes: [(action: String, keys: KeyValuePairs<String, JSON>, undo: KeyValuePairs<String, JSON>, Refusal)] =
            [
                (
                    "user.set", ["user": "ann-id", "migrating": true], ["user": "ann-id", "migrating": false],
                    .migrating
                ),
                (
                    "user.set", ["user": "ann-id", "licensed": false], ["user": "ann-id", "licensed": true],
                    .notLicensed
                ),
                (
                    "user.set", ["user": "ann-id", "enabled": false], ["user": "ann-id", "enabled": true], .userDisabled
                ),
            ]
        for (action, keys, undo, expected) in changes {
            try fixture.administer(action, keys)
            #expect(refusal(try holder.enroll(fixture, invitation: code)) == expected)
            try fixture.administer(action, undo)
        }
        _ = try KeyHolder(key: "key-2").registration(fixture)
        try fixture.administer("device.block", ["deviceTag": "laptop"])
        #expect(refusal(try holder.enroll(fixture, invitation: code)) == .deviceBlocked)
        try fixture.administer("device.unblock", ["deviceTag": "laptop"])
        fixture.now = ServiceFixture.time + .days(2)
        #expect(refusal(try holder.enroll(fixture, invitation: code)) == .needsToken)
        fixture.now = ServiceFixture.time
        try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        #expect(refusal(try holder.enroll(fixture, invitation: code)) == .wrongUser)
        let byId = KeyHolder(account: AccountName(accountId: "ann-id"))
        #expect(refusal(try byId.enroll(fixture, invitation: code)) == .userUnknown)
    }

    @Test("a wipe reaches the registration until it reports, and the report ends it alone")
    func wipe() throws {
        let fixture = try ServiceFixture()
        let holder = KeyHolder()
        let phone = KeyHolder(device: "phone", key: "key-2")
        let registration = try #require(try holder.registration(fixture)).registration
        let other = try #require(try phone.registration(fixture)).registration
        let wipe = try #require(
            try fixture.administer("wipe.request", ["user": "ann-id", "deviceTag": "laptop"])["id"]?.integer)
        #expect(try phone.checkIn(fixture, other) == "live")
        for _ in 0..<2 { #expect(try holder.checkIn(fixture, registration) == "wipe \(wipe)") }
        for _ in 0..<2 { try holder.report(fixture, registration, wipe: wipe) }
        #expect(try holder.checkIn(fixture, registration) == "wipe \(wipe)")
        let listed = try fixture.administer("wipe.list")["wipes"]?.array?.first
        #expect(listed?["done"] == 1)
        #expect(listed?["pending"] == 0)
        #expect(refusal(try holder.enroll(fixture, invitation: try fixture.invite())) == .gone)
        let renewed = try #require(try KeyHolder(key: "key-3").registration(fixture, mark: wipe)).registration
        #expect(try holder.checkIn(fixture, renewed) == "live")
    }

    @Test("a wipe is not escaped by enrolling again, nor by a removed user")
    func noEscape() throws {
        let fixture = try ServiceFixture()
        let holder = KeyHolder()
        let first = try #require(try holder.registration(fixture))
        let wipe = try #require(try fixture.administer("wipe.request", ["user": "ann-id"])["id"]?.integer)
        let again = KeyHolder(key: "key-2")
        guard
            case .success(.wipe(wipe, _)) = try again.enroll(
                fixture, invitation: fixture.invite(), mark: first.wipeMark)
        else {
            Issue.record("it enrolls without the wipe")
            return
        }
        try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        #expect(try holder.checkIn(fixture, first.registration) == "wipe \(wipe)")
    }

    @Test("a check-in says whether a registration was replaced, left, removed, or lost its user")
    func ends() throws {
        let fixture = try ServiceFixture()
        let holder = KeyHolder()
        let first = try #require(try holder.registration(fixture)).registration
        let second = try #require(try KeyHolder(key: "key-2").registration(fixture)).registration
        #expect(try holder.checkIn(fixture, first) == "gone")
        let left = try #require(try fixture.store.registrant(registration: second))
        for _ in 0..<2 {
            #expect(
                try fixture.store.unenroll(
                    try #require(try fixture.store.registrant(registration: second)), now: fixture.now) == nil)
        }
        #expect(try holder.checkIn(fixture, left.registration) == "gone")
        let third = try #require(try KeyHolder(key: "key-3").registration(fixture)).registration
        try fixture.administer("registration.remove", ["registration": .string(third)])
        #expect(try holder.checkIn(fixture, third) == "unenrolled")
        let fourth = try #require(try KeyHolder(key: "key-4").registration(fixture)).registration
        try fixture.administer("device.block", ["deviceTag": "laptop"])
        #expect(try holder.checkIn(fixture, fourth) == "deviceBlocked")
        try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        #expect(try holder.checkIn(fixture, fourth) == "userUnknown")
    }

    @Test("changes are counted, check-ins are not, and wipes take the number of their change")
    func sequence() throws {
        let fixture = try ServiceFixture()
        let holder = KeyHolder()
        let registration = try #require(try holder.registration(fixture)).registration
        let before = try fixture.store.sequence()
        #expect(try holder.checkIn(fixture, registration) == "live")
        try fixture.administer("user.list")
        #expect(try fixture.store.sequence() == before)
        let wipe = try fixture.administer("wipe.request", ["user": "ann-id"])["id"]?.integer
        #expect(wipe == before + 1)
        #expect(try fixture.store.sequence() == before + 1)
    }

    @Test("a refused action is not counted")
    func refusedAction() throws {
        let fixture = try ServiceFixture()
        let before = try fixture.store.sequence()
        #expect(throws: MAMError.self) { try fixture.administer("user.remove", ["user": "nobody"]) }
        #expect(throws: MAMError.self) { try fixture.administer("key.rotate") }
        #expect(try fixture.store.sequence() == before)
    }
}
