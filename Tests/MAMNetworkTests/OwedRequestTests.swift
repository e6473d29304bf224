import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// Requests that no person waits for: the report of a wipe, an unenrollment, exchange keys. Nobody is asked for a token, nothing is
/// repeated at once but with the service's time, and a report that was not taken is sent later.
@Suite struct OwedRequestTests {
    /// Answers with which a report is over: the authority has signed that it has no registration, or that it took the report.
    private static let over: Set = ["gone", "no policy"]

    private func sent(_ host: NetworkSession, _ call: String) -> Int {
        host.service.requests.count { $0.url.hasSuffix("/" + call) }
    }

    /// The warnings of the log from now on.
    private func warnings(_ host: NetworkSession) -> Locked<[String]> {
        let lines = Locked<[String]>([])
        host.session.log.set(.warning) { _, line in lines.withLock { $0.append(line) } }
        return lines
    }

    private func expected(_ row: OutcomeTests.Row) -> Int { row.testDescription.hasPrefix("clockSkew") ? 2 : 1 }

    @Test(arguments: OutcomeTests.rows) func aWipeIsReportedUntilItIsTaken(_ row: OutcomeTests.Row) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        let lines = warnings(host)
        host.service.answer(row.answer)
        #expect(try host.code(try host.session.wipes.wipe(try host.ann, reason: .host)) == .unenrollmentSuccess)
        for _ in 0..<3 { try host.session.operations.runDueNow() }
        #expect(sent(host, "wipe-report") == expected(row), "at once, and not again")
        #expect(host.invited == 1, "at the enrollment alone")
        let isOver = OwedRequestTests.over.contains(row.testDescription)
        #expect(try host.session.current().wipes.count == (isOver ? 0 : 1))
        guard !isOver else { return }
        #expect(lines.withLock { $0 }.contains { $0.contains("could not be reported (\(row.checkIn.rawValue))") })
        host.service.tamper = nil
        host.advance(.hours(31))
        while try host.session.current().wipes.count > 0 { try host.session.operations.runDueNow() }
        #expect(try host.service.administer("registration.list")["registrations"]?.array?.isEmpty == true)
    }

    @Test(arguments: OutcomeTests.rows) func anUnenrollmentIsReportedUntilItIsTaken(_ row: OutcomeTests.Row) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        host.service.answer(row.answer)
        let leaving = try host.session.registrations.deregister(try host.ann, isWipe: false)
        #expect(try host.code(leaving) == .unenrollmentSuccess)
        try host.session.operations.runDueNow()
        #expect(sent(host, "unenroll") == expected(row))
        #expect(host.invited == 1)
        let isOver = OwedRequestTests.over.contains(row.testDescription)
        #expect(try host.session.current().unenrollments.all.isEmpty == isOver)
        guard !isOver else { return }
        host.service.tamper = nil
        host.advance(.hours(31))
        try host.session.operations.runDueNow()
        #expect(try host.session.current().unenrollments.all.isEmpty)
        #expect(try host.service.administer("registration.list")["registrations"]?.array?.isEmpty == true)
    }

    @Test(arguments: OutcomeTests.rows) func exchangeKeysAreAskedForOnce(_ row: OutcomeTests.Row) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        let account = try #require(try host.session.current().accounts.first)
        let lines = warnings(host)
        host.service.answer(row.answer)
        try host.session.protection.fetchExchangeKeys(of: account.row.id)
        #expect(sent(host, "exchange-keys") == expected(row))
        #expect(host.invited == 1)
        #expect(lines.withLock { $0 }.contains { $0.contains("could not be fetched: \(row.checkIn.rawValue) ") })
        // Nothing is taken from the account, and it goes on.
        let kept = try #require(try host.session.current().accounts.first)
        #expect(kept.isEnrolled && kept.policy != nil)
        host.service.tamper = nil
        #expect(try host.checkIn() == .policiesHaveNotChanged)
    }
}
