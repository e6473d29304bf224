import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@testable import MAMSession

/// Reports of each phase of an enrollment, and the state between the phases.
@Suite("Phases of an enrollment")
struct EnrollmentPhaseTests {
    private static func failing(_ fault: String, count: Int64? = nil) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("action", "fault.set"), ("fault", .string(fault)), ("operation", "checkIn"),
        ]
        if let count { members.append(("count", .integer(count))) }
        return .object(members)
    }

    @Test("a re-enrolled account is locked down until its policy arrives")
    func enrolledAgain() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(
            try session.finish(try session.registrations.deregister(try named("ann"), isWipe: false))
                == .unenrollmentSuccess)
        #expect(try session.allows("backup", "ann@contoso.example") == false)
        try place.admin(Self.failing("network"))
        #expect(try session.enroll("ann") == .policyEndPointNetworkFailure)
        #expect(try session.allows("backup", "ann@contoso.example") == false)
        try place.admin(["action": "fault.clear"])
        #expect(try session.checkInAll() == .newPoliciesReceived)
        #expect(try session.allows("backup", "ann@contoso.example") == true)
    }

    @Test("an enrollment is reported once, also if its policy request fails")
    func toldOnce() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        try place.admin(Self.failing("internal", count: 1))
        #expect(try session.enroll("ann") == .internalError)
        #expect(try session.checkInAll() == .newPoliciesReceived)
        #expect(session.codes(of: "enrollmentRequest") == [100])
    }

    @Test("a record that is lost at once ends with 220, not as already enrolled")
    func goneAtOnce() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        try place.admin(Self.failing("gone"))
        #expect(try session.enroll("ann") == .policyRecordGone)
    }

    @Test("every session reports the changed protection of a new account")
    func everySessionTells() throws {
        let place = try SessionFixture()
        let (one, other) = (try place.open(), try place.open())
        defer {
            one.end()
            other.end()
        }
        #expect(try one.enroll("ann") == .newPoliciesReceived)
        let told = other.allEvents().compactMap { $0["event"]?.string }
        #expect(told == ["policyDidChange", "dataProtectionDidChange"])
    }

    @Test("other sessions show a check-in of one session and do not repeat it")
    func notedByOne() throws {
        let place = try SessionFixture()
        let (one, other) = (try place.open(), try place.open())
        defer {
            one.end()
            other.end()
        }
        #expect(try one.enroll("ann") == .newPoliciesReceived)
        _ = try other.registrations.registeredAccounts()
        place.time.advance(.minutes(31))
        try one.operations.runDueNow()
        #expect(try other.registrations.registeredAccounts() == one.registrations.registeredAccounts())
        _ = other.allEvents()
        try other.operations.runDueNow()
        #expect(other.allEvents().isEmpty)
    }
}

extension Session {
    func codes(of name: String) -> [Int64] {
        allEvents().filter { $0["event"]?.string == name }.compactMap { $0["status"]?["code"]?.integer }
    }
}
