import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// Ends of registrations are forgotten after 400 days; registrations that last, or have a wipe to carry out, are not.
@Suite struct ForgettingTests {
    private let fixture: ServiceFixture
    private let holder = KeyHolder()

    init() throws { fixture = try ServiceFixture() }

    private func pass(days: Int64) {
        fixture.now = fixture.now + .days(days)
        while fixture.service.forgetWhatEnded(now: fixture.now) {}
    }

    private func count(_ table: String) throws -> Int64 {
        try fixture.store.database.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? 0
    }

    private func enrolled() throws -> String { try #require(try holder.registration(fixture)).registration }

    @Test("a registration that lasts is not forgotten")
    func lasting() throws {
        let registration = try enrolled()
        pass(days: 2000)
        #expect(try holder.checkIn(fixture, registration) == "live")
    }

    @Test(
        "an end is forgotten after 400 days",
        arguments: [
            ("unenrolled by the app", "gone"), ("replaced", "gone"), ("removed", "unenrolled"),
            ("of a removed user", "userUnknown"),
            ("wiped", "wipe 0"),
        ])
    func ended(how: String, answer: String) throws {
        let registration = try enrolled()
        let registrant = try #require(try fixture.store.registrant(registration: registration))
        switch how {
        case "unenrolled by the app": _ = try fixture.store.unenroll(registrant, now: fixture.now)
        case "replaced": _ = try #require(try KeyHolder(key: "key-2").registration(fixture))
        case "removed": try fixture.administer("registration.remove", ["registration": .string(registration)])
        case "of a removed user": try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        default: try holder.report(fixture, registration, wipe: nil)
        }
        pass(days: 0)
        #expect(try holder.checkIn(fixture, registration) == answer)
        pass(days: 399)
        #expect(try holder.checkIn(fixture, registration) == answer)
        let sequence = try fixture.store.sequence()
        pass(days: 1)
        #expect(try holder.checkIn(fixture, registration) == "unknown")
        #expect(try fixture.store.sequence() == sequence)
        #expect(try count("registrants") == (how == "replaced" ? 1 : 0))
        #expect(try count("ended_registrations") == 0)
    }

    @Test("a wipe that waits keeps its registration, and one that was carried out does not")
    func wipes() throws {
        let registration = try enrolled()
        let wipe = try #require(try fixture.administer("wipe.request", ["user": "ann-id"])["id"]?.integer)
        try fixture.administer("registration.remove", ["registration": .string(registration)])
        pass(days: 0)
        pass(days: 1000)
        #expect(try holder.checkIn(fixture, registration) == "wipe \(wipe)")
        try holder.report(fixture, registration, wipe: wipe)
        pass(days: 399)
        #expect(try holder.checkIn(fixture, registration) == "wipe \(wipe)")
        pass(days: 1)
        #expect(try holder.checkIn(fixture, registration) == "unknown")
        #expect(try fixture.administer("wipe.list")["wipes"]?.array?.first?["done"] == 1)
        // A copy of the state that was silent all the time does not escape by enrolling again.
        let again = try KeyHolder(key: "key-2").enroll(fixture, invitation: fixture.invite(), mark: wipe - 1)
        guard case .success(.wipe(wipe, _)) = again else {
            Issue.record("it enrolls without the wipe")
            return
        }
    }

    @Test("the state of a device is forgotten with its last registration, and invitations are too")
    func devices() throws {
        let first = try enrolled()
        let second = try #require(try KeyHolder(app: "notes", key: "key-2").registration(fixture)).registration
        _ = try fixture.store.isNewest(7, head: "A", deviceTag: "laptop")
        try fixture.administer("registration.remove", ["registration": .string(second)])
        #expect(try count("invitations") == 2)
        pass(days: 0)
        pass(days: 400)
        #expect(try holder.checkIn(fixture, first) == "unknown")
        #expect(try count("generations") == 0)
        #expect(try count("invitations") == 2)
        pass(days: 1)
        #expect(try count("invitations") == 0, "they hold for a day")
    }

    @Test("many are forgotten a part at a time")
    func many() throws {
        try fixture.store.database.transaction { () throws(MAMError) in
            for number in 0..<1100 {
                let key = Array("key \(number)".utf8)
                try fixture.store.add(
                    Registrant(
                        registration: "r-\(number)", key: key, sealKey: [1], accountId: "ann-id",
                        accountKey: Array("ann-id".utf8), app: "notes", deviceTag: "device-\(number % 9)", wipeMark: 1,
                        exchangeMark: 0, end: nil, wipe: nil, signedIn: nil), thumbprint: "key \(number)",
                    now: fixture.now)
            }
        }
        #expect(fixture.service.forgetWhatEnded(now: fixture.now), "there are more")
        pass(days: 0)
        #expect(try count("registrants WHERE ended IS NULL") == 0)
        fixture.now = fixture.now + .days(400)
        #expect(fixture.service.forgetWhatEnded(now: fixture.now), "there are more")
        #expect(try count("registrants") == 600)
        pass(days: 0)
        #expect(try count("registrants") == 0)
    }
}
