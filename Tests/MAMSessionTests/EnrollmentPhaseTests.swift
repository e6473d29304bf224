import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@testable import MAMSession

/// What each phase of an enrollment tells, and what holds between the phases.
@Suite("Phases of an enrollment")
struct EnrollmentPhaseTests {
    private static func failing(_ fault: String, count: Int64? = nil) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("action", "fault.set"), ("fault", .string(fault)), ("operation", "checkIn"),
        ]
        if let count { members.append(("count", .integer(count))) }
        return .object(members)
    }

    @Test("an account that is enrolled again answers lock-down until its policy has come")
    func enrolledAgain() throws {
        let place = try Workplace()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.finish(try session.deregister(try named("ann"), isWipe: false)) == .unenrollmentSuccess)
        #expect(try session.allows("backup", "ann@contoso.example") == true)
        try place.admin(Self.failing("network"))
        #expect(try session.enroll("ann") == .policyEndPointNetworkFailure)
        #expect(try session.allows("backup", "ann@contoso.example") == false)
        try place.admin(["action": "fault.clear"])
        #expect(try session.checkInAll() == .newPoliciesReceived)
        #expect(try session.allows("backup", "ann@contoso.example") == true)
    }

    @Test("an enrollment is told once, also where its policy request fails")
    func toldOnce() throws {
        let place = try Workplace()
        let session = try place.open()
        defer { session.end() }
        try place.admin(Self.failing("internal", count: 1))
        #expect(try session.enroll("ann") == .internalError)
        #expect(try session.checkInAll() == .newPoliciesReceived)
        #expect(session.codes(of: "enrollmentRequest") == [100])
    }

    @Test("a record that is gone at once ends with 220, not as enrolled already")
    func goneAtOnce() throws {
        let place = try Workplace()
        let session = try place.open()
        defer { session.end() }
        try place.admin(Self.failing("gone"))
        #expect(try session.enroll("ann") == .policyRecordGone)
    }

    @Test("every session tells that the protection of a new account has changed")
    func everySessionTells() throws {
        let place = try Workplace()
        let (one, other) = (try place.open(), try place.open())
        defer {
            one.end()
            other.end()
        }
        #expect(try one.enroll("ann") == .newPoliciesReceived)
        let told = other.allEvents().compactMap { $0["event"]?.string }
        #expect(told == ["policyDidChange", "dataProtectionDidChange"])
    }

    @Test("what one session noted of a check-in, the others show and do not do again")
    func notedByOne() throws {
        let place = try Workplace()
        let (one, other) = (try place.open(), try place.open())
        defer {
            one.end()
            other.end()
        }
        #expect(try one.enroll("ann") == .newPoliciesReceived)
        _ = try other.registeredAccounts()
        place.time.advance(.minutes(31))
        try one.runDueNow()
        #expect(try other.registeredAccounts() == one.registeredAccounts())
        _ = other.allEvents()
        try other.runDueNow()
        #expect(other.allEvents().isEmpty)
    }
}

extension Session {
    func codes(of name: String) -> [Int64] {
        allEvents().filter { $0["event"]?.string == name }.compactMap { $0["status"]?["code"]?.integer }
    }
}
