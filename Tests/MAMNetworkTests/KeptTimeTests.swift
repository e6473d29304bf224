import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMSession

/// Clocks that are wrong: the service's signed replies tell the time, and nothing else does.
@Suite struct KeptTimeTests {
    static let offsets: [TimeSpan] = [.minutes(10), .minutes(-10), .hours(24 * 3652), .hours(-24 * 3652)]

    @Test(arguments: offsets, [true, false]) func aWrongClockOnEitherSide(_ offset: TimeSpan, ofClient: Bool) throws {
        let host = try NetworkSession(worker: false, [("periodOfflineBeforeAccessCheck", "PT12H")])
        defer { host.end() }
        if ofClient {
            host.service.clientTime = host.service.clientTime + offset
        } else {
            host.service.serviceTime = host.service.serviceTime + offset
        }
        try host.enroll()
        host.forgetDelivery()
        let sent = posts(host)
        #expect(try host.checkIn().isSuccess)
        #expect(posts(host) == sent + 1, "the time is known")
        #expect(try outcome(host) == "allowed")
        // The wrong one is set right.
        if ofClient {
            host.service.clientTime = host.service.serviceTime
        } else {
            host.service.serviceTime = host.service.clientTime
        }
        #expect(try outcome(host) == "allowed")
        #expect(try host.checkIn().isSuccess)
        #expect(try host.checkIn().isSuccess)
        #expect(posts(host) <= sent + 4, "at most once more")
    }

    /// The clock is wrong at the check-in, and right or as wrong after a restart; the service cannot be reached then.
    @Test(arguments: offsets, [true, false])
    func aWrongClockOverARestart(_ offset: TimeSpan, isSetRight: Bool) throws {
        for (hours, expected) in [(1, "allowed"), (13, "blocked")] as [(Int64, String)] {
            let host = try NetworkSession(worker: false, [("periodOfflineBeforeAccessCheck", "PT12H")])
            defer { host.end() }
            host.service.clientTime = host.service.clientTime + offset
            try host.enroll()
            host.forgetDelivery()
            #expect(try host.checkIn().isSuccess)
            host.reboot(after: .hours(hours))
            if isSetRight { host.service.clientTime = host.service.serviceTime }
            host.service.tamper = { (_, _) throws(TransportFailure) in throw TransportFailure(.noAnswer, "") }
            #expect(try outcome(host) == expected)
        }
    }

    @Test func aReplyThatWasHeldBackTellsNoTime() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        host.service.serviceTime = host.service.serviceTime + .hours(1)
        host.forgetDelivery()
        let sent = posts(host)
        host.service.tamper = { [unowned host] (request, reply) in
            guard request.method == "POST" else { return reply }
            host.advance(.seconds(31))
            return reply
        }
        #expect(try host.checkIn() == .parsingFailure)
        #expect(posts(host) == sent + 1)
        host.service.tamper = nil
        #expect(try host.checkIn().isSuccess)
    }

    private func posts(_ host: NetworkSession) -> Int { host.service.requests.count { $0.method == "POST" } }

    private func outcome(_ host: NetworkSession) throws -> String? {
        guard case .launch(let report) = try host.finish(try host.session.launches.launch()) else { return nil }
        return report.json(in: .english)["outcome"]?.string
    }
}

/// The header Retry-After.
@Suite struct RetryAfterTests {
    private static let now = Instant(milliseconds: 784_111_777_000)
    static let rows: [(String, Int64?)] = [
        ("1", 1), ("59", 59), ("3600", 3600), ("3601", 3600), ("99999999999999999999", 3600), ("0", nil), ("-1", nil),
        ("", nil), ("1.5", nil), (" 1", nil), ("soon", nil), ("\u{0661}", nil),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 08:40:00 GMT", nil), ("Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        ("Sun, 06 Nov 1994 08:50:37 CET", nil), ("Sun, 31 Feb 1994 08:50:37 GMT", nil),
        ("Sun, 06 Nov 1994 25:50:37 GMT", nil), ("Sun, 06 XYZ 1994 08:50:37 GMT", nil),
        ("Sun, 6666666 Nov 1994 08:50:37 GMT", nil), ("Thursday, 01-Jan-70 00:00:00 GMT", nil),
        ("Tuesday, 01-Jan-69 00:00:00 GMT", 3600), (String(repeating: "9", count: 100_000), 3600),
    ]

    @Test(arguments: rows) func isReadAsWait(_ text: String, _ seconds: Int64?) {
        let wait = RetryAfter.wait([("retry-after", text)], now: RetryAfterTests.now)
        #expect(wait?.milliseconds == seconds.map { $0 * 1000 })
    }

    @Test func aDateIsJudgedByTheSendersClock() {
        let fields = [
            ("retry-after", "Sun, 06 Nov 2044 08:50:37 GMT"), ("date", "Sun, 06 Nov 2044 08:50:07 GMT"),
        ]
        let wait = RetryAfter.wait(fields.map { (name: $0.0, value: $0.1) }, now: RetryAfterTests.now)
        #expect(wait == .seconds(30))
    }
}
