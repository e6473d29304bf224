import Glibc
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
import MAMPolicy

@Suite("wipes")
struct WipeTests {
    @Test("a request applies to every enrollment of the user, is counted, and stays until it is cancelled")
    func userLevel() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        let (notes, mail) = (App(fixture), App(fixture, app: "mail"))
        let (first, second) = (try notes.enroll(), try mail.enroll())
        let wipe = try fixture.perform("wipe.request", ["user": "ann@contoso.example"])
        #expect(
            wipe == [
                "id": 1, "accountId": "ann-id", "upn": "ann@contoso.example", "app": .null, "deviceTag": .null,
                "requestedDateTime": .string(AuthorityFixture.time.rfc3339), "pending": 2, "done": 0,
                "note": .null,
            ])
        #expect(try notes.checkIn(first).wipe == 1)
        // The request repeats until the wipe is reported.
        #expect(try notes.checkIn(first).wipe == 1)
        try notes.report(first, wipe: 1)
        try notes.report(first, wipe: 1)
        var listed = try fixture.perform("wipe.list")["wipes"]?.array?.first
        #expect(listed?["pending"] == 1 && listed?["done"] == 1)
        #expect(try mail.checkIn(second).wipe == 1)
        try mail.report(second, wipe: 1)
        listed = try fixture.perform("wipe.list")["wipes"]?.array?.first
        #expect(listed?["pending"] == 0 && listed?["done"] == 2)
        #expect(try fixture.perform("registration.list")["registrations"] == [])
        try fixture.perform("wipe.cancel", ["wipe": 1])
        #expect(try fixture.perform("wipe.list")["wipes"] == [])
    }

    @Test("an old request does not apply to a new enrollment", arguments: [false, true])
    func noLoop(readOnly: Bool) throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture, readOnly: readOnly)
        let first = try app.enroll()
        try fixture.perform("wipe.request", ["user": "ann-id"])
        #expect(try app.checkIn(first).wipe == 1)
        try app.report(first, wipe: 1)
        let second = try app.enroll()
        #expect(second.wipeMark == 1)
        #expect(try app.checkIn(second).wipe == nil)
        // A late report does not repeat it either; a new request does.
        try app.report(first, wipe: 1)
        #expect(try app.checkIn(second).policies.count == 1)
        try fixture.perform("wipe.request", ["user": "ann-id"])
        #expect(try app.checkIn(second).wipe == 2)
    }

    @Test("an app that leaves learns of it, and its enrollment ends with the report", arguments: [false, true])
    func leaving(readOnly: Bool) throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture, readOnly: readOnly)
        let enrollment = try app.enroll()
        try fixture.perform("wipe.request", ["user": "ann-id"])
        for _ in 0..<2 { #expect(try app.unenroll(enrollment)?.id == 1) }
        let pending: JSON = readOnly ? 0 : 1
        #expect(try fixture.perform("wipe.list")["wipes"]?.array?.first?["pending"] == pending)
        try app.report(enrollment, wipe: 1)
        #expect(try fixture.perform("wipe.list")["wipes"]?.array?.first?["done"] == pending)
        #expect(try fixture.perform("registration.list")["registrations"] == [])
        // A request that is older than an enrollment does not concern it.
        let next = try app.enroll()
        #expect(try app.unenroll(next) == nil)
        // An older copy of the state learns of the wipe with which its enrollment has ended.
        try fixture.perform("wipe.cancel", ["wipe": 1])
        if !readOnly { #expect(try app.unenroll(enrollment)?.id == 1) }
    }

    @Test("a request for an app and a device applies to those alone", arguments: [false, true])
    func scope(readOnly: Bool) throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        try fixture.perform("user.add", ["upn": "bob", "accountId": "bob-id"])
        let laptop = App(fixture, readOnly: readOnly)
        let desktop = App(fixture, device: "desktop", readOnly: readOnly)
        let mail = App(fixture, app: "mail", readOnly: readOnly)
        // Others may read the file, so the authority need not know their devices.
        if readOnly { try #require(chmod(fixture.path, 0o644) == 0) }
        let enrollments = [try laptop.enroll(), try desktop.enroll(), try mail.enroll(), try laptop.enroll("bob")]
        try fixture.perform(
            "wipe.request",
            ["user": "ann-id", "app": "notes", "deviceTag": "laptop", "force": .bool(readOnly)])
        #expect(try laptop.checkIn(enrollments[0]).wipe == 1)
        #expect(try desktop.checkIn(enrollments[1]).wipe == nil)
        #expect(try mail.checkIn(enrollments[2]).wipe == nil)
        #expect(try laptop.checkIn(enrollments[3]).wipe == nil)
    }

    @Test(
        "a request for an app or device that nobody has met is refused, or says so where apps may only read the file",
        arguments: [
            (
                "app", "note",
                #"app "note": no policy or configuration names it, and no account enrolled in it; did you mean "notes"?"#
            ),
            ("app", "com.example.mail", #"app "com.example.mail": no policy"#),
            ("deviceTag", "laptops", #"device "laptops": no account enrolled there"#),
        ])
    func unknown(_ key: String, _ name: String, _ why: String) throws {
        let fixture = try AuthorityFixture()
        let enrollment = try App(fixture).enroll()
        let request: KeyValuePairs<String, JSON> = ["user": "ann-id", key: .string(name)]
        let refusal = try #require(try fixture.refusal("wipe.request", request))
        #expect(refusal.code == .notFound && refusal.message.contains("there is no \(why)"))
        #expect(refusal.detail.contains { $0.key == "argument" && $0.value == .string(key) })
        #expect(try fixture.perform("wipe.list")["wipes"] == [])
        // Known ones are requested as often as one asks, also once their registration is gone.
        for known in [("deviceTag", "laptop"), ("app", "notes"), ("app", "notes")] {
            let keys: KeyValuePairs<String, JSON> = ["user": "ann-id", known.0: .string(known.1)]
            #expect(try fixture.perform("wipe.request", keys)["note"] == .null)
        }
        try fixture.perform("registration.remove", ["registration": .string(enrollment.registration)])
        #expect(try fixture.perform("wipe.request", ["user": "ann-id", "app": "notes"])["pending"] == 0)
        try #require(chmod(fixture.path, 0o640) == 0)
        // Where apps only read the authority, it cannot know all names.
        let doubt = try #require(try fixture.refusal("wipe.request", request))
        #expect(
            doubt.code == .notFound && doubt.message.contains("there is no \(why)") && doubt.message.contains("--force")
        )
        #expect(doubt.detail.contains { $0.key == "argument" && $0.value == .string(key) })
        let forced = try fixture.perform("wipe.request", ["user": "ann-id", key: .string(name), "force": true])
        #expect(forced["note"]?.string?.contains("cannot report") == true)
    }

    @Test("one wipe fulfils all requests that apply")
    func several() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        for _ in 0..<2 { try fixture.perform("wipe.request", ["user": "ann-id"]) }
        #expect(try app.checkIn(enrollment).wipe == 2)
        try app.report(enrollment, wipe: nil)
        let wipes = try fixture.perform("wipe.list")["wipes"]?.array
        #expect(wipes?.allSatisfy { $0["pending"] == 0 && $0["done"] == 1 } == true)
    }

    @Test("a wipe is delivered despite a removed registration or user")
    func removed() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        let enrollment = try app.enroll()
        try fixture.perform("wipe.request", ["user": "ann-id"])
        try fixture.perform("registration.remove", ["registration": .string(enrollment.registration)])
        #expect(try app.checkIn(enrollment).wipe == 1)
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        #expect(try app.checkIn(enrollment).wipe == 1)
        try app.report(enrollment, wipe: 1)
        #expect(try fixture.perform("wipe.list")["wipes"]?.array?.first?["done"] == 1)
        try fixture.perform("wipe.cancel", ["wipe": 1])
        // An enrollment that ended with a wipe stays ended: a request with it comes from an older copy.
        #expect(try app.checkIn(enrollment).wipe == 1)
    }

    @Test("a cancelled id is never used again")
    func ids() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        try fixture.perform("wipe.request", ["user": "ann-id"])
        try fixture.perform("wipe.cancel", ["wipe": 1])
        let enrollment = try app.enroll()
        #expect(enrollment.wipeMark == 1)
        #expect(try fixture.perform("wipe.request", ["user": "ann-id"])["id"] == 2)
        #expect(try app.checkIn(enrollment).wipe == 2)
    }

    @Test("a read-only authority does everything but register")
    func administered() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture, readOnly: true)
        #expect(app.authority.custody == .administered)
        let enrollment = try app.enroll()
        #expect(enrollment.registration.utf8.count == 36)
        #expect(try app.checkIn(enrollment).policies.map(\.id) == ["strict"])
        #expect(try fixture.perform("authority.show")["registrations"] == 0)
        try app.unenroll(enrollment)
        // The mark of another authority at the same path: the app has to enroll again to receive wipes.
        let foreign = Enrollment(
            accountId: "ann-id", upn: "", tenantId: nil, registration: enrollment.registration, wipeMark: 9)
        #expect(try failure { try app.checkIn(foreign) }?.code == .policyRecordGone)
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }
}
