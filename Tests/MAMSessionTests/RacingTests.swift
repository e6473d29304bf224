import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// Two sessions of an app that enroll one account at the same time: they do so one after the other, because the authority keeps the
/// enrollment that it granted last.
@Suite("one account enrolled by two sessions at once")
struct RacingTests {
    let place: SessionFixture
    let one: Session
    let other: Session
    static let ann = AccountName(upn: "ann@contoso.example")

    init() throws {
        place = try SessionFixture()
        (one, other) = (try place.open(), try place.open())
    }

    private func end() {
        one.end()
        other.end()
    }

    private func granted(_ candidate: Candidate) throws -> (Enrollment, Lease) {
        guard case .granted(let enrollment, let lease, _) = try one.enrollments.requests.askToEnroll(candidate, .host)
        else {
            throw MAMError(.internal, "it was not granted")
        }
        return (enrollment, lease)
    }

    private func registrations() throws -> [String] {
        let reply = try place.admin(["action": "registration.list"])
        return reply["registrations"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    /// A registered account that is not enrolled.
    private func registered() throws -> Account {
        try place.admin(["action": "fault.set", "fault": "network", "operation": "enroll", "count": 1])
        #expect(try one.enroll("ann") == .enrollmentEndPointNetworkFailure)
        return try #require(try one.current().accounts.first)
    }

    @Test("no other session asks the authority before a grant is stored")
    func oneAtATime() throws {
        defer { end() }
        let (mine, lease) = try granted(.named(Self.ann))
        #expect(try other.state.lease(.enrollment) == nil)
        _ = try one.enrollments.storeGranted(.named(Self.ann), mine, nil, false, lease)
        #expect(try other.state.lease(.enrollment) != nil)
        #expect(try other.enroll("ann") == .alreadyEnrolled)
        #expect(try registrations() == [mine.registration])
    }

    @Test("the second session finds the enrollment of the first", arguments: [false, true])
    func secondLooksAnew(isRegistered: Bool) throws {
        defer { end() }
        let candidate: Candidate = isRegistered ? .known(try registered()) : .named(Self.ann)
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        guard case .changed = try one.enrollments.requests.askToEnroll(candidate, .host) else {
            Issue.record("it asked the authority")
            return
        }
        #expect(try registrations().count == 1)
        #expect(try other.checkInAll() == .policiesHaveNotChanged)
    }

    @Test("an account that is deregistered during its enrollment stays unenrolled, also at the authority")
    func deregisteredMeanwhile() throws {
        defer { end() }
        let known = try registered()
        let (mine, lease) = try granted(.known(known))
        let op = try other.registrations.deregister(try named("ann"), isWipe: false)
        guard
            case .ended(.enrollment(let status)) = try one.enrollments.storeGranted(
                .known(known), mine, nil, false, lease)
        else {
            Issue.record("it did not end")
            return
        }
        #expect(status.code == .appNotEnrolled)
        #expect(try other.finish(op) == .unenrollmentSuccess)
        #expect(try registrations() == [])
        #expect(try one.snapshots.currentRecords().accounts.allSatisfy { !$0.isEnrolled })
    }

    @Test("an account that is wiped during its enrollment stays unenrolled, also at the authority")
    func wipedMeanwhile() throws {
        defer { end() }
        let known = try registered()
        let (mine, lease) = try granted(.known(known))
        #expect(try other.finish(try other.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(throws: MAMError.self) { _ = try one.enrollments.storeGranted(.known(known), mine, nil, false, lease) }
        #expect(try registrations() == [])
        #expect(try other.state.lease(.enrollment) != nil)
    }

    @Test("a wipe skips an account that another process has wiped and re-enrolled meanwhile")
    func lateWipe() throws {
        let late = one
        defer { end() }
        #expect(try late.enroll("ann") == .newPoliciesReceived)
        let former = try #require(try late.current().accounts.first)
        #expect(try other.finish(try other.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        try late.wipes.wipe(former.row, Tombstone(reason: .administrator, wipe: nil))
        try late.operations.runDueNow()
        for session in [late, other] {
            let snapshot = try session.current()
            #expect(snapshot.unopenable.isEmpty)
            #expect(snapshot.accounts.map(\.isEnrolled) == [true] && snapshot.accounts.first?.problem == nil)
            #expect(try session.checkInAll() == .policiesHaveNotChanged)
        }
    }
}
