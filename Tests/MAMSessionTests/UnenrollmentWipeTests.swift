import MAMPolicy
import MAMSession
import MAMSupport
import Testing

/// An administrator orders a wipe, and the app unenrolls the account before its next check-in.
@Suite("A wipe that was ordered before the account was unenrolled")
struct UnenrollmentWipeTests {
    private let place: SessionFixture

    init() throws { place = try SessionFixture() }

    private func order() throws { try place.admin(["action": "wipe.request", "user": "oid-ann"]) }

    /// The registrations that wait for the latest wipe, and those that have reported it.
    private func counts() throws -> [Int64?] {
        let wipe = try place.admin(["action": "wipe.list"])["wipes"]?.array?.last
        return [wipe?["pending"]?.integer, wipe?["done"]?.integer]
    }

    private func fail() throws {
        try place.admin(["action": "fault.set", "fault": "network", "operation": "unenroll"])
    }

    private func leave(_ session: Session) throws -> EnrollmentStatus? {
        let operation = try session.registrations.deregister(try named("ann"), isWipe: false)
        guard case .enrollment(let status) = try session.operations.wait(for: operation, milliseconds: 10_000) else {
            return nil
        }
        return status
    }

    /// A session in which Ann was enrolled, her wipe was ordered, and she left while the authority could not be told.
    private func leftUnheard() throws -> Session {
        let session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try order()
        try fail()
        _ = try leave(session)
        return session
    }

    /// The authority can be told again.
    private func report(_ session: Session, after span: TimeSpan) throws {
        try place.admin(["action": "fault.clear"])
        place.time.advance(span)
        try session.operations.runDueNow()
    }

    private func reasons(_ session: Session) -> [String?] {
        session.allEvents().filter { $0["event"]?.string == "wipeDidComplete" }.map { $0["reason"]?.string }
    }

    @Test("is carried out with the unenrollment, and reported")
    func atOnce() throws {
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try order()
        let status = try leave(session)
        #expect(status?.code == .unenrollmentSuccess)
        #expect(status?.message.contains("had ordered a wipe") == true)
        try session.operations.runDueNow()
        #expect(reasons(session) == ["administrator"])
        #expect(try counts() == [0, 1])
    }

    @Test("is carried out as soon as the unenrollment can be reported, also after a restart")
    func later() throws {
        var session = try leftUnheard()
        #expect(try counts() == [1, 0])
        session.end()
        session = try place.open()
        defer { session.end() }
        try report(session, after: .minutes(1))
        #expect(reasons(session) == ["administrator"])
        #expect(try counts() == [0, 1])
    }

    @Test("is carried out before the account is enrolled again")
    func enrolledAgain() throws {
        let session = try leftUnheard()
        defer { session.end() }
        try place.admin(["action": "fault.clear"])
        #expect(try session.enroll("ann") == .wipeReceived)
        try session.operations.runDueNow()
        #expect(try counts() == [0, 1])
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
    }

    @Test("is only reported where the host has wiped the account meanwhile")
    func wipedByTheHost() throws {
        let session = try leftUnheard()
        defer { session.end() }
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(try counts() == [1, 0])
        try report(session, after: .minutes(1))
        #expect(reasons(session) == ["host"])
        #expect(try counts() == [0, 1])
    }

    @Test("leaves an account alone that was enrolled again, and a wipe that was ordered since reaches it")
    func keptByALaterEnrollment() throws {
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try fail()
        _ = try leave(session)
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try order()
        try report(session, after: .minutes(4))
        #expect(reasons(session).isEmpty)
        #expect(try session.checkInAll() == .wipeReceived)
        try session.operations.runDueNow()
        #expect(reasons(session) == ["administrator"])
    }
}
