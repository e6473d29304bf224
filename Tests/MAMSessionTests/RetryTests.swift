import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("Schedule of check-ins and retries")
struct RetryTests {
    private func isLicensed(_ place: SessionFixture, _ name: String, _ value: Bool) throws {
        try place.admin(["action": "user.set", "user": .string("\(name)@contoso.example"), "licensed": .bool(value)])
    }

    private func registered(_ session: Session, _ name: String) throws -> JSON? {
        try session.registrations.registeredAccounts().array?.first { $0["upn"]?.string == "\(name)@contoso.example" }
    }

    private func enrolled(_ session: Session) throws -> [String]? {
        try session.registrations.enrolledAccounts().array?.compactMap { $0["upn"]?.string }
    }

    private func leave(_ session: Session) throws {
        let operation = try session.registrations.deregister(try named("ann"), isWipe: false)
        #expect(try session.finish(operation) == .unenrollmentSuccess)
    }

    /// The time comes at which an account that had no licence is retried.
    private func runRetries(_ session: Session, _ place: SessionFixture) throws {
        _ = session.allEvents()
        place.time.advance(.hours(13))
        session.recordUse()
        try session.operations.runDueNow()
    }

    @Test("once one account is managed, the others are not retried until it has left")
    func othersWait() throws {
        let place = try SessionFixture()
        for name in ["ann", "bob"] { try isLicensed(place, name, false) }
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .accountNotLicensed)
        #expect(try session.enroll("bob") == .accountNotLicensed)
        try isLicensed(place, "ann", true)
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try isLicensed(place, "bob", true)
        try runRetries(session, place)
        #expect(!session.allEvents().contains { $0["event"]?.string == "enrollmentRequest" })
        #expect(try registered(session, "bob")?["nextCheckIn"] == .null)
        try leave(session)
        try session.operations.runDueNow()
        #expect(try enrolled(session) == ["bob@contoso.example"])
    }

    @Test("an idle host checks in every 8 hours, and at once when it is in use again")
    func idle() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        func checksIn(after span: TimeSpan) throws -> Bool {
            _ = session.allEvents()
            place.time.advance(span)
            try session.operations.runDueNow()
            return session.allEvents().contains { $0["status"]?["code"]?.integer == 101 }
        }
        #expect(try checksIn(after: .minutes(31)))  // planned while it was in use
        #expect(try !checksIn(after: .hours(7)))
        #expect(try checksIn(after: .minutes(61)))
        #expect(try !checksIn(after: .minutes(31)))
        session.recordUse()
        #expect(try checksIn(after: .seconds(0)))
        session.recordUse()
        #expect(try !checksIn(after: .minutes(29)))
        #expect(try checksIn(after: .minutes(2)))
    }

    @Test("network failures are retried after 1, 2, 4… minutes, up to an hour, whatever failed before")
    func backOff() throws {
        let place = try SessionFixture()
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        let session = try place.open()
        defer { session.end() }
        for _ in 0..<5 { #expect(try session.enroll("ann") == .authRequired) }
        try place.admin(["action": "fault.set", "fault": "network"])
        var waits: [Int64] = []
        for _ in 0..<9 {
            #expect(try session.enroll("ann") == .enrollmentEndPointNetworkFailure)
            let next = try registered(session, "ann")?["nextCheckIn"]?.string.flatMap { Instant(rfc3339: $0) }
            waits.append(((next ?? place.time.now) - place.time.now).milliseconds)
        }
        for (wait, minutes) in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64]) {
            #expect(wait <= minutes * 60_000 && wait >= minutes * 45_000, "\(waits)")
        }
    }

    @Test("of several accounts that are due together the first becomes the only managed one, and the others wait")
    func oneOfSeveral() throws {
        let place = try SessionFixture()
        for name in ["ann", "bob"] { try isLicensed(place, name, false) }
        let session = try place.open()
        defer { session.end() }
        for name in ["ann", "bob"] { #expect(try session.enroll(name) == .accountNotLicensed) }
        for name in ["ann", "bob"] { try isLicensed(place, name, true) }
        try runRetries(session, place)
        #expect(try enrolled(session) == ["ann@contoso.example"])
        #expect(!session.allEvents().contains { $0["status"]?["code"]?.integer == 227 })
        try leave(session)
        try session.operations.runDueNow()
        #expect(try enrolled(session) == ["bob@contoso.example"])
    }

    @Test("the check-in interval does not affect enrollment retries")
    func enrollingAgain() throws {
        let place = try SessionFixture()
        try place.admin(["action": "authority.set", "checkInInterval": "P1D"])
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try leave(session)
        try isLicensed(place, "ann", false)
        #expect(try session.enroll("ann") == .accountNotLicensed)
        let next = try registered(session, "ann")?["nextCheckIn"]?.string.flatMap { Instant(rfc3339: $0) }
        #expect(next == place.time.now + .hours(12))
    }

    @Test("an enrollment that was silent for 90 days is dropped, and renewed by the next check-in")
    func silence() throws {
        let place = try SessionFixture()
        let session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        func ids() throws -> [String] {
            try place.admin(["action": "registration.list"])["registrations"]?.array?.compactMap { $0["id"]?.string }
                ?? []
        }
        let first = try ids()
        session.end()
        place.time.advance(.days(89))
        let second = try place.open()
        #expect(try second.checkInAll() == .policiesHaveNotChanged)
        #expect(try ids() == first)
        second.end()
        place.time.advance(.days(91))
        let third = try place.open()
        defer { third.end() }
        try third.operations.runDueNow()
        try third.operations.runDueNow()
        let codes = third.allEvents().compactMap { $0["status"]?["code"]?.integer }
        #expect(codes.contains(220) && codes.contains(100))
        #expect(try ids().count == 1)
        #expect(try ids() != first)
        #expect(try third.allows("print", "ann@contoso.example") == false)
    }

    @Test("a disabled user and a blocked device keep an enrollment, and are refused when they re-enroll")
    func disabledAndBlocked() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        #expect(try session.checkInAll().isSuccess)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        let tag = try place.admin(["action": "registration.list"])["registrations"]?.array?.first?["deviceTag"] ?? .null
        try place.admin(["action": "device.block", "deviceTag": tag])
        #expect(try session.checkInAll().isSuccess)
        func forget() throws -> [Int64?] {
            for one in try place.admin(["action": "registration.list"])["registrations"]?.array ?? [] {
                try place.admin(["action": "registration.remove", "registration": one["id"] ?? .null])
            }
            #expect(try session.checkInAll() == .policyRecordGone)
            _ = session.allEvents()
            try session.operations.runDueNow()
            return session.allEvents().map { $0["status"]?["code"]?.integer }
        }
        #expect(try forget().contains(221))
        try place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": true])
        #expect(try session.checkInAll() == .deviceBlockedEnrollment)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        try place.admin(["action": "device.unblock", "deviceTag": tag])
        #expect(try session.checkInAll().isSuccess)
    }
}
