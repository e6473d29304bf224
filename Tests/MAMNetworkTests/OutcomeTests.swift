import MAMAuthority
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMService
@testable import MAMSession

/// The status of each answer, and when the next request comes: docs/status-codes.md, "A service".
@Suite struct OutcomeTests {
    /// An answer in place of the service's.
    typealias Answer =
        @Sendable (LoopbackService, TransportRequest, TransportReply) throws(TransportFailure) -> TransportReply

    /// One answer to an enrollment and to a check-in.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let enroll: StatusCode
        let checkIn: StatusCode
        /// Minutes until the next request after the enrollment and after the check-in.
        let afterEnroll: ClosedRange<Int64>
        let afterCheckIn: ClosedRange<Int64>
        let warns: Bool
        /// Requests of the check-in.
        let requests: Int
        let answer: Answer

        init(
            _ name: String, _ enroll: StatusCode, _ checkIn: StatusCode, _ afterEnroll: ClosedRange<Int64>,
            _ afterCheckIn: ClosedRange<Int64>, warns: Bool = false, requests: Int = 1, _ answer: @escaping Answer
        ) {
            (testDescription, self.enroll, self.checkIn) = (name, enroll, checkIn)
            (self.afterEnroll, self.afterCheckIn) = (afterEnroll, afterCheckIn)
            (self.warns, self.requests, self.answer) = (warns, requests, answer)
        }
    }

    private static func unsigned(_ status: Int, _ fields: [MessageField] = []) -> Answer {
        { (_, _, _) in TransportReply(status: status, fields: fields, body: Array("<html>".utf8)) }
    }

    private static func failing(_ kind: TransportFailure.Kind) -> Answer {
        { (_, _, _) throws(TransportFailure) in throw TransportFailure(kind, "the reason") }
    }

    private static func problem(_ status: Int, _ name: String, _ more: JSON.Member...) -> Answer {
        { (service, request, _) in service.problem(status, name, more, to: request) }
    }

    private static func signed(_ body: JSON) -> Answer {
        { (service, request, _) in service.signed(200, body, to: request) }
    }

    private static let (soon, hour, tenth, usual):
        (ClosedRange<Int64>, ClosedRange<Int64>, ClosedRange<Int64>, ClosedRange<Int64>) =
            (0...1, 60...75, 27...33, 1296...1485)
    private static let (half, day): (ClosedRange<Int64>, ClosedRange<Int64>) = (720...900, 1440...1485)

    static let rows = [
        Row(
            "no connection", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            failing(.noAnswer)),
        Row("no name", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, failing(.noName)),
        Row(
            "TLS refused", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            failing(.notTrusted)),
        Row(
            "not yet valid", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            failing(.notYetValid)),
        Row(
            "no libcurl", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            failing(.noLibrary)),
        Row(
            "another pin", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, warns: true,
            failing(.wrongPin)),
        Row(
            "another host", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, warns: true,
            failing(.wrongHost)),
        Row("no answer in time", .timeout, .timeout, soon, soon, failing(.timeout)),
        Row("interrupted", .timeout, .timeout, soon, soon, failing(.interrupted)),
        Row("9 MiB", .parsingFailure, .parsingFailure, usual, tenth, failing(.tooLarge)),
        Row("proxy 407", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, unsigned(407)),
        Row(
            "load balancer 502", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            unsigned(502)),
        Row(
            "not found 404", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, unsigned(404)
        ),
        Row(
            "unsigned 410", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, unsigned(410)),
        Row("redirect", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, unsigned(302)),
        Row(
            "429 for 20 minutes", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, 20...25, 20...25,
            unsigned(429, [("retry-after", "1200")])),
        Row(
            "503 for a year", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, hour, hour,
            unsigned(503, [("retry-after", "31536000")])),
        Row(
            "503 for nothing", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon,
            unsigned(503, [("retry-after", "-1")])),
        Row(
            "503 until a date", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, 20...25, 20...25,
            unsigned(
                503, [("date", "Wed, 01 Jan 2020 00:00:00 GMT"), ("retry-after", "Wed, 01 Jan 2020 00:20:00 GMT")])),
        Row(
            "503 until a date far ahead", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, hour, hour,
            unsigned(503, [("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")])),
        Row(
            "503 until a date of the past", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon,
            soon,
            unsigned(503, [("retry-after", "Sunday, 06-Nov-94 08:49:37 GMT")])),
        Row("captive portal 200", .parsingFailure, .parsingFailure, usual, tenth, unsigned(200)),
        Row("no policy", .parsingFailure, .parsingFailure, usual, tenth, signed(["sequence": 9_000_000])),
        Row("an unknown result", .parsingFailure, .parsingFailure, usual, tenth, signed(["result": "party"])),
        Row("an older database", .parsingFailure, .parsingFailure, usual, tenth, warns: true, signed(["sequence": 0])),
        Row(
            "clockSkew again and again", .parsingFailure, .parsingFailure, usual, tenth, requests: 2,
            problem(400, "clockSkew", ("time", "2026-11-18T09:20:00Z"))),
        Row(
            "confirm again and again", .parsingFailure, .parsingFailure, usual, tenth, requests: 2,
            problem(409, "confirm", ("challenge", "1.2.3.4"))),
        Row("badSignature", .parsingFailure, .parsingFailure, usual, tenth, warns: true, problem(400, "badSignature")),
        Row("malformed", .parsingFailure, .parsingFailure, usual, tenth, warns: true, problem(400, "malformed")),
        Row("needsToken", .authRequired, .authRequired, usual, tenth, requests: 3, problem(401, "needsToken")),
        Row("wrongUser", .authRequired, .reEnrollForUnenrolledUser, day, day, problem(403, "wrongUser")),
        Row("userUnknown", .authRequired, .reEnrollForUnenrolledUser, day, day, problem(403, "userUnknown")),
        Row("userDisabled", .authRequired, .reEnrollForUnenrolledUser, day, day, problem(403, "userDisabled")),
        Row("unenrolled", .reEnrollForUnenrolledUser, .reEnrollForUnenrolledUser, day, day, problem(403, "unenrolled")),
        Row("notLicensed", .accountNotLicensed, .accountNotLicensed, half, half, problem(403, "notLicensed")),
        Row("notTargeted", .licensedNotTargeted, .licensedNotTargeted, half, half, problem(403, "notTargeted")),
        Row("migrating", .tenantMigration, .tenantMigration, day, day, problem(403, "migrating")),
        Row(
            "deviceBlocked", .deviceBlockedEnrollment, .deviceBlockedEnrollment, day, day, problem(403, "deviceBlocked")
        ),
        Row("tooOld", .parsingFailure, .parsingFailure, day, day, problem(403, "tooOld")),
        Row("gone", .parsingFailure, .policyRecordGone, usual, 0...0, problem(410, "gone")),
        Row("busy", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, soon, soon, problem(503, "busy")),
        Row(
            "busy for 3 hours", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, 180...225, 180...225,
            problem(503, "busy", ("retryAfter", "PT3H"))),
        Row(
            "busy for ever", .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, day, day,
            problem(503, "busy", ("retryAfter", "P999D"))),
        Row("a fault of the service", .internalError, .internalError, usual, tenth, problem(500, "fault")),
        Row("a problem of later", .parsingFailure, .parsingFailure, usual, tenth, problem(403, "somethingNew")),
    ]

    private func minutes(until next: Instant?, _ host: NetworkSession) throws -> Int64 {
        (try #require(next) - host.service.clientTime).milliseconds / 60_000
    }

    @Test(arguments: rows) func aCheckInHasItsStatusAndItsNextTime(_ row: Row) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        #expect(try host.code(try host.session.registrations.checkIn(.notGiven)) == .policiesHaveNotChanged)
        _ = host.events()
        let sent = host.service.requests.count
        host.service.answer(row.answer)
        #expect(try host.code(try host.session.registrations.checkIn(.notGiven)) == row.checkIn)
        #expect(host.service.requests.count - sent == row.requests)
        let account = try #require(try host.session.current().accounts.first)
        #expect(account.isEnrolled && account.policy != nil, "nothing is taken from the account")
        #expect(row.afterCheckIn.contains(try minutes(until: account.record.nextCheckIn, host)))
        #expect(host.events().contains { $0["event"] == "warning" } == row.warns)
        // The next answer is the service's again.
        host.service.tamper = nil
        let again = try host.code(try host.session.registrations.checkIn(.notGiven))
        #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(again))
    }

    @Test(arguments: rows) func anEnrollmentHasItsStatusAndItsNextTime(_ row: Row) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        host.service.answer(row.answer)
        let operation = try host.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try host.code(operation) == row.enroll)
        let account = try #require(try host.session.current().accounts.first)
        #expect(!account.isEnrolled)
        #expect(row.afterEnroll.contains(try minutes(until: account.record.nextCheckIn, host)))
        #expect(
            host.events().contains { $0["event"] == "warning" } == row.warns
                || row.testDescription == "an older database")
        host.service.tamper = nil
        try host.enroll()
    }

    @Test(arguments: rows) func aDocumentThatIsNotTheServicesIsNotFound(_ row: Row) throws {
        guard !row.testDescription.contains("an older") else { return }
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        host.service.answer(discovery: true, row.answer)
        let operation = try host.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try host.code(operation) == (row.enroll == .timeout ? .timeout : .locationServiceFailure))
        #expect(host.service.requests.count == 1)
    }

    @Test func aServiceOfLaterIsNotAsked() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        host.service.answer(discovery: true, OutcomeTests.signed(["protocols": [2], "tenant": "contoso"]))
        let operation = try host.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try host.code(operation) == .parsingFailure)
        let record = try #require(try host.session.current().accounts.first).record
        #expect(OutcomeTests.day.contains(try minutes(until: record.nextCheckIn, host)))
    }

    @Test func checkInsDriftApart() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        var seen: Set<Int64> = []
        for _ in 0..<40 {
            #expect(try host.code(try host.session.registrations.checkIn(.notGiven)) == .policiesHaveNotChanged)
            let next = try #require(try host.session.snapshots.currentRecords().accounts.first?.record.nextCheckIn)
            let seconds = (next - host.service.clientTime).milliseconds / 1000
            #expect((27 * 60...33 * 60).contains(seconds))
            seen.insert(seconds)
        }
        #expect(seen.count > 10)
    }

    @Test func failuresInARowBackOff() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        host.service.answer(OutcomeTests.failing(.noAnswer))
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] as [Int64] {
            _ = try host.code(try host.session.registrations.checkIn(.notGiven))
            let next = try #require(try host.session.snapshots.currentRecords().accounts.first?.record.nextCheckIn)
            #expect((minutes * 45...minutes * 60).contains((next - host.service.clientTime).milliseconds / 1000))
        }
    }

    @Test func copiesOfAStateEndEachOtherOnceADay() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        func lose() throws -> StatusCode {
            let account = try #require(try host.session.current().accounts.first)
            let id = account.record.registration?.split(separator: ".").first.map(String.init) ?? ""
            host.service.tamper = { [service = host.service] (request, reply) in
                request.url.hasSuffix("/\(id)/check-in") ? service.problem(410, "gone", [], to: request) : reply
            }
            _ = try host.code(try host.session.registrations.checkIn(.notGiven))
            return try host.code(try host.session.registrations.checkIn(.notGiven))
        }
        #expect(try lose() == .newPoliciesReceived, "enrolled again")
        _ = host.events()
        #expect(try lose() == .policyRecordGone)
        #expect(host.events().contains { $0["event"] == "warning" })
        let record = try #require(try host.session.current().accounts.first).record
        #expect(OutcomeTests.tenth.contains(try minutes(until: record.nextCheckIn, host)))
        host.advance(.hours(25))
        #expect(try host.code(try host.session.registrations.checkIn(.notGiven)) == .newPoliciesReceived)
    }
}
