import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("wipes")
struct WipeTests {
    @Test("a request reaches every enrollment of the user, is counted, and stays until it is cancelled")
    func userLevel() throws {
        let office = try Office()
        try office.perform("policy.target", ["policy": "strict", "app": "mail"])
        let (notes, mail) = (App(office), App(office, app: "mail"))
        let (first, second) = (try notes.enroll(), try mail.enroll())
        let wipe = try office.perform("wipe.request", ["user": "ann@contoso.example"])
        #expect(
            wipe == [
                "id": 1, "accountId": "ann-id", "upn": "ann@contoso.example", "app": .null, "deviceTag": .null,
                "requestedDateTime": .string(Office.time.rfc3339), "pending": 2, "done": 0,
                "note": .null,
            ])
        #expect(try notes.checkIn(first).wipe == 1)
        // Until it is reported it is asked for again.
        #expect(try notes.checkIn(first).wipe == 1)
        try notes.report(first, wipe: 1)
        try notes.report(first, wipe: 1)
        var listed = try office.perform("wipe.list")["wipes"]?.array?.first
        #expect(listed?["pending"] == 1 && listed?["done"] == 1)
        #expect(try mail.checkIn(second).wipe == 1)
        try mail.report(second, wipe: 1)
        listed = try office.perform("wipe.list")["wipes"]?.array?.first
        #expect(listed?["pending"] == 0 && listed?["done"] == 2)
        #expect(try office.perform("registration.list")["registrations"] == [])
        try office.perform("wipe.cancel", ["wipe": 1])
        #expect(try office.perform("wipe.list")["wipes"] == [])
    }

    @Test("who enrolls again is not wiped by an old request", arguments: [false, true])
    func noLoop(readOnly: Bool) throws {
        let office = try Office()
        let app = App(office, readOnly: readOnly)
        let first = try app.enroll()
        try office.perform("wipe.request", ["user": "ann-id"])
        #expect(try app.checkIn(first).wipe == 1)
        try app.report(first, wipe: 1)
        let second = try app.enroll()
        #expect(second.wipeMark == 1)
        #expect(try app.checkIn(second).wipe == nil)
        // Nor by a report that comes late; but by a new request.
        try app.report(first, wipe: 1)
        #expect(try app.checkIn(second).policies.count == 1)
        try office.perform("wipe.request", ["user": "ann-id"])
        #expect(try app.checkIn(second).wipe == 2)
    }

    @Test("a request for an app and a device reaches no other", arguments: [false, true])
    func scope(readOnly: Bool) throws {
        let office = try Office()
        try office.perform("policy.target", ["policy": "strict", "app": "mail"])
        try office.perform("user.add", ["upn": "bob", "accountId": "bob-id"])
        let laptop = App(office, readOnly: readOnly)
        let desktop = App(office, device: "desktop", readOnly: readOnly)
        let mail = App(office, app: "mail", readOnly: readOnly)
        let enrollments = [try laptop.enroll(), try desktop.enroll(), try mail.enroll(), try laptop.enroll("bob")]
        try office.perform("wipe.request", ["user": "ann-id", "app": "notes", "deviceTag": "laptop"])
        #expect(try laptop.checkIn(enrollments[0]).wipe == 1)
        #expect(try desktop.checkIn(enrollments[1]).wipe == nil)
        #expect(try mail.checkIn(enrollments[2]).wipe == nil)
        #expect(try laptop.checkIn(enrollments[3]).wipe == nil)
    }

    @Test("one wipe answers every request that concerned it, and those of the host as well")
    func several() throws {
        let office = try Office()
        let app = App(office)
        let enrollment = try app.enroll()
        for _ in 0..<2 { try office.perform("wipe.request", ["user": "ann-id"]) }
        #expect(try app.checkIn(enrollment).wipe == 2)
        try app.report(enrollment, wipe: nil)
        let wipes = try office.perform("wipe.list")["wipes"]?.array
        #expect(wipes?.allSatisfy { $0["pending"] == 0 && $0["done"] == 1 } == true)
    }

    @Test("neither a removed registration nor a removed user keeps a wipe back")
    func removed() throws {
        let office = try Office()
        let app = App(office)
        let enrollment = try app.enroll()
        try office.perform("wipe.request", ["user": "ann-id"])
        try office.perform("registration.remove", ["registration": .string(enrollment.registration)])
        #expect(try app.checkIn(enrollment).wipe == 1)
        try office.perform("user.remove", ["user": "ann-id"])
        #expect(try app.checkIn(enrollment).wipe == 1)
        try app.report(enrollment, wipe: 1)
        #expect(try office.perform("wipe.list")["wipes"]?.array?.first?["done"] == 1)
        try office.perform("wipe.cancel", ["wipe": 1])
        // An enrollment that has ended with a wipe stays so: whoever asks with it is a former copy.
        #expect(try app.checkIn(enrollment).wipe == 1)
    }

    @Test("a cancelled id is never used again")
    func ids() throws {
        let office = try Office()
        let app = App(office)
        try office.perform("wipe.request", ["user": "ann-id"])
        try office.perform("wipe.cancel", ["wipe": 1])
        let enrollment = try app.enroll()
        #expect(enrollment.wipeMark == 1)
        #expect(try office.perform("wipe.request", ["user": "ann-id"])["id"] == 2)
        #expect(try app.checkIn(enrollment).wipe == 2)
    }

    @Test("of an authority that is only read: no registrations, everything else")
    func administered() throws {
        let office = try Office()
        let app = App(office, readOnly: true)
        #expect(app.authority.custody == .administered)
        let enrollment = try app.enroll()
        #expect(enrollment.registration.utf8.count == 36)
        #expect(try app.checkIn(enrollment).policies.map(\.id) == ["strict"])
        #expect(try office.perform("authority.show")["registrations"] == 0)
        try app.unenroll(enrollment)
        // A mark of another authority, that stood here before: enroll anew, so that its wipes are heard.
        let foreign = Enrollment(
            accountId: "ann-id", upn: "", tenantId: nil, registration: enrollment.registration, wipeMark: 9)
        #expect(try failure { try app.checkIn(foreign) }?.code == .policyRecordGone)
        try office.perform("user.remove", ["user": "ann-id"])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }
}
