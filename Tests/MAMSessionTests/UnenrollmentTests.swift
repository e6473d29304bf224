import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("Unenrollments that were not reported to the authority yet")
struct UnenrollmentTests {
    private let place: SessionFixture

    init() throws { place = try SessionFixture() }

    private func registrations() throws -> [String] {
        try place.admin(["action": "registration.list"])["registrations"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    private func fail(_ fault: JSON, count: Int64? = nil) throws {
        try place.admin(
            .object(
                [("action", "fault.set"), ("fault", fault), ("operation", "unenroll")]
                    + (count.map { [("count", .integer($0))] } ?? [])))
    }

    private func work() throws { try place.admin(["action": "fault.clear"]) }

    private func leave(_ session: Session, _ name: String = "ann") throws {
        #expect(
            try session.finish(try session.registrations.deregister(try named(name), isWipe: false))
                == .unenrollmentSuccess)
    }

    /// A session that Ann has left while the authority could not be told.
    private func leftUnheard() throws -> Session {
        let session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try fail("network")
        try leave(session)
        return session
    }

    private func waiting(_ session: Session) throws -> [JSON] {
        try session.diagnostics()["unenrollments"]?.array ?? []
    }

    private func warnings(_ session: Session) -> [JSON] {
        session.allEvents().filter { $0["event"]?.string == "warning" }
    }

    /// Several accounts at once.
    private static let many: [(key: String, value: JSON)] = [("settings", ["MultiManagedIdentities": true])]

    @Test("are reported later with the back-off of network failures, also after restarts, and as soon as possible")
    func later() throws {
        var session = try leftUnheard()
        #expect(try registrations().count == 1)
        #expect(try waiting(session).map { $0["upn"]?.string } == ["ann@contoso.example"])
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
            let next = try waiting(session).first?["nextReport"]?.string.flatMap { Instant(rfc3339: $0) }
            let wait = ((next ?? place.time.now) - place.time.now).milliseconds
            #expect(wait <= minutes * 60_000 && wait >= minutes * 45_000)
            session.end()
            session = try place.open()
            place.time.advance(.minutes(minutes))
            try session.operations.runDueNow()
        }
        try work()
        #expect(try registrations().count == 1)
        place.time.advance(.minutes(60))
        try session.operations.runDueNow()
        #expect(try registrations().isEmpty)
        #expect(try waiting(session).isEmpty)
        #expect(session.allEvents().filter { $0["event"]?.string == "unenrollRequest" }.count == 1)
        session.end()
    }

    @Test("name the reason in the operation's result", arguments: ["network", "internal"])
    func result(_ fault: String) throws {
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try fail(.string(fault))
        let operation = try session.registrations.deregister(try named("ann"), isWipe: false)
        guard case .enrollment(let status) = try session.operations.wait(for: operation, milliseconds: 10_000) else {
            return
        }
        #expect(status.message.hasPrefix("The authority could not be informed yet (\(fault == "network" ? 212 : 201) "))
        #expect(try waiting(session).count == 1)
    }

    @Test("end if the authority no longer has the enrollment")
    func gone() throws {
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try fail("gone")
        try leave(session)
        #expect(try waiting(session).isEmpty)
    }

    @Test("do not end a later enrollment of the same account")
    func laterEnrollment() throws {
        let session = try leftUnheard()
        defer { session.end() }
        try work()
        let former = try registrations()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try waiting(session).isEmpty, "it is reported before the account is enrolled again")
        let enrolled = try registrations()
        #expect(enrolled.count == 1 && enrolled != former)
        place.time.advance(.minutes(2))
        try session.operations.runDueNow()
        #expect(try registrations() == enrolled)
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
    }

    @Test("that cannot be reported do not end a later enrollment either")
    func unreportedBeforeLaterEnrollment() throws {
        let session = try leftUnheard()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let enrolled = try registrations()
        try work()
        place.time.advance(.minutes(4))
        try session.operations.runDueNow()
        #expect(try waiting(session).isEmpty)
        #expect(try registrations() == enrolled)
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
    }

    @Test("are durable when the account leaves: a process that ends before reporting leaves the report to the next one")
    func untried() throws {
        let session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        _ = session.allEvents()
        _ = try session.registrations.deregister(try named("ann"), isWipe: false)
        session.end()
        #expect(try registrations().count == 1)
        let next = try place.open()
        defer { next.end() }
        place.time.advance(.minutes(1))
        try next.operations.runDueNow()
        #expect(try registrations().isEmpty)
        #expect(next.allEvents().filter { $0["event"]?.string == "unenrollRequest" }.count == 1)
    }

    @Test("a failing unenrollment does not delay the others")
    func several() throws {
        let session = try place.open(UnenrollmentTests.many)
        defer { session.end() }
        for name in ["ann", "bob"] { #expect(try session.enroll(name) == .newPoliciesReceived) }
        try fail("internal", count: 2)
        try leave(session)
        try leave(session, "bob")  // uses the second failure for the first account
        #expect(try waiting(session).map { $0["upn"]?.string } == ["ann@contoso.example"])
        #expect(try registrations().count == 1)
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        try leave(session, "bob")
        #expect(try waiting(session).isEmpty)
        #expect(try registrations().isEmpty)
    }

    @Test("two sessions of the app report one once")
    func twoSessions() throws {
        let sessions = [try place.open(), try place.open()]
        defer { for session in sessions { session.end() } }
        #expect(try sessions[0].enroll("ann") == .newPoliciesReceived)
        try fail("network", count: 3)
        try leave(sessions[0])
        func left() throws -> Int64? {
            try place.admin(["action": "fault.list"])["faults"]?.array?.first?["count"]?.integer
        }
        #expect(try left() == 2)
        place.time.advance(.minutes(1))
        for session in sessions { try session.operations.runDueNow() }
        #expect(try left() == 1)
        place.time.advance(.minutes(2))
        for session in sessions { try session.operations.runDueNow() }
        #expect(try left() == nil)
        place.time.advance(.minutes(4))
        for session in sessions { try session.operations.runDueNow() }
        #expect(try registrations().isEmpty)
    }

    @Test("at most a hundred wait: the oldest is dropped with a warning")
    func tooMany() throws {
        let session = try place.open(UnenrollmentTests.many)
        defer { session.end() }
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        try fail("network")
        try leave(session, "bob")
        for _ in 0..<99 {
            #expect(try session.enroll("ann") == .newPoliciesReceived)
            try leave(session)
        }
        #expect(try waiting(session).count == 100)
        #expect(warnings(session).isEmpty)
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try leave(session)
        let names = try waiting(session).map { $0["upn"]?.string }
        #expect(names.count == 100 && !names.contains("bob@contoso.example"))
        let told = warnings(session)
        #expect(told.map { $0["upn"]?.string } == ["bob@contoso.example"])
        #expect(told.first?["message"]?.string?.contains("100") == true)
    }

    @Test("after 90 days one is tried once more and dropped with one warning")
    func tooLong() throws {
        let sessions = [try leftUnheard(), try place.open()]
        defer { for session in sessions { session.end() } }
        place.time.advance(.days(89))
        for session in sessions { try session.operations.runDueNow() }
        #expect(try waiting(sessions[1]).count == 1)
        #expect(sessions.allSatisfy { warnings($0).isEmpty })
        place.time.advance(.days(2))
        for session in sessions { try session.operations.runDueNow() }
        #expect(try waiting(sessions[1]).isEmpty)
        let told = sessions.flatMap { warnings($0) }
        #expect(told.map { $0["upn"]?.string } == ["ann@contoso.example"])
        #expect(told.first?["message"]?.string?.contains("90 days") == true)
    }

    @Test("after 90 days one is still reported if the authority can be reached")
    func lateAndTold() throws {
        let session = try leftUnheard()
        defer { session.end() }
        try work()
        place.time.advance(.days(91))
        try session.operations.runDueNow()
        #expect(try registrations().isEmpty)
        #expect(try waiting(session).isEmpty)
        #expect(warnings(session).isEmpty)
    }

    @Test("an enrollment that was granted but not used is ended later")
    func takenBack() throws {
        let session = try place.open([("device", ["mdmAccountId": "oid-bob"])])
        defer { session.end() }
        try fail("network")
        #expect(try session.enroll("ann") == .mdmEnrolledDifferentUser)
        #expect(try registrations().count == 1)
        #expect(try waiting(session).map { $0["accountId"]?.string } == ["oid-ann"])
        try work()
        place.time.advance(.minutes(1))
        try session.operations.runDueNow()
        #expect(try registrations().isEmpty)
    }
}
