import MAMPolicy
import MAMSupport
import Testing

@Suite("enrollment")
struct EnrollmentTests {
    @Test("every status code has a name, a success and guidance on one line")
    func codes() {
        #expect(StatusCode.named.map(\.rawValue) == Array(100...104) + Array(200...227))
        #expect(Set(StatusCode.named.map(\.name)).count == 33)
        #expect(Set(StatusCode.named.map(\.guidance)).count == 33)
        for code in StatusCode.named {
            #expect(code.isSuccess == (code.rawValue < 200))
            #expect(code.guidance.hasSuffix(".") && !code.guidance.contains("\n"))
        }
        #expect(StatusCode.newPoliciesReceived.name == "newPoliciesReceived")
        #expect(StatusCode(rawValue: 999).name == "unknown" && !StatusCode(rawValue: 999).isSuccess)
        #expect(!StatusCode(rawValue: 999).guidance.isEmpty)
    }

    @Test("the guidance of 203 and 225 excludes other causes")
    func confusing() {
        #expect(StatusCode.authRequired.guidance.contains("nothing about policy"))
        #expect(StatusCode.licensedNotTargeted.guidance.contains("no fault"))
        for key in [MessageKey.statusUnknownUser, .statusDisabledUser] {
            let guidance = StatusCode.authRequired.guidance(for: key)
            #expect(guidance.contains("nothing about policy") && guidance.contains("administrator"))
            #expect(!guidance.contains("oken"))
        }
    }

    @Test("only what libmam tries again is said to be")
    func retries() {
        let retried = StatusCode.named.filter { code in
            code.guidance != code.guidance(for: code.messageKey, isRetried: false)
        }
        #expect(retried.map(\.rawValue) == [200, 201, 202, 204, 205, 212, 216, 222, 225, 226])
        for code in retried {
            #expect(code.guidance.contains(/is (tried|looked for) again/))
            #expect(!code.guidance(for: code.messageKey, isRetried: false).contains("is tried again"))
        }
    }

    @Test("a status has the form of mam_wait")
    func status() {
        let status = EnrollmentStatus(
            accountId: "1", upn: nil, code: .newPoliciesReceived, message: "Done.", time: Instant(milliseconds: 0))
        #expect(
            status.json(in: .english).text
                == "{\"accountId\":\"1\",\"upn\":null,\"identity\":null,\"code\":100,\"name\":\"newPoliciesReceived\",\"didSucceed\":true,"
                + "\"message\":\"Done.\",\"time\":\"1970-01-01T00:00:00.000Z\","
                + "\"userMessage\":\"Your organisation's rules for this app are up to date.\","
                + "\"messageKey\":\"statusNewPoliciesReceived\"}")
        let plain = EnrollmentStatus(accountId: nil, upn: "a@b", code: .timeout, time: Instant(milliseconds: 0))
        #expect(plain.message == StatusCode.timeout.guidance && plain.json(in: .english)["didSucceed"] == false)
    }

    static let events: [EnrollmentEvent] = [
        .enrolled, .enrollmentFailed(.timeout), .policyReceived, .notTargeted, .wipeRequested, .wipeCompleted,
        .unenrolled, .recordGone, .registered, .authorityForgotten,
    ]

    @Test(
        "every state and event",
        arguments: [
            (
                EnrollmentState.registered,
                [
                    .enrolled, .registered, nil, .registered, .wiping, nil, .unenrolled, nil, .registered, .unenrolled,
                ]
            ),
            (
                .enrolled,
                [.enrolled, nil, .enrolled, .enrolled, .wiping, nil, .unenrolled, .enrolled, .enrolled, .unenrolled]
            ),
            (.wiping, [nil, nil, nil, nil, .wiping, .unenrolled, .wiping, .wiping, nil, .wiping]),
            (.unenrolled, [nil, nil, nil, nil, .wiping, nil, nil, nil, .registered, .unenrolled]),
        ] as [(EnrollmentState, [EnrollmentState?])])
    func transitions(_ state: EnrollmentState, _ next: [EnrollmentState?]) {
        #expect(Self.events.map(state.after) == next)
    }
}

@Suite("schedule")
struct ScheduleTests {
    static func delay(
        _ code: StatusCode, failures: Int = 0, interval: TimeSpan? = nil, isInUse: Bool = true,
        hasOnlyConfiguration: Bool = false,
        jitter: Double = 0, isEnrolled: Bool = false
    ) -> String {
        let now = Instant(milliseconds: 1_000_000_000_000)
        let next = CheckInIntervals.nextRequest(
            after: code, at: now, failures: failures, interval: interval, isInUse: isInUse,
            hasOnlyConfiguration: hasOnlyConfiguration,
            jitter: jitter, isEnrolled: isEnrolled)
        return (next - now).iso8601
    }

    @Test("check-ins: 30 minutes in use, 8 hours otherwise, 12 for configuration alone, or the authority's interval")
    func checkIns() {
        for code in [StatusCode.newPoliciesReceived, .policiesHaveNotChanged] {
            #expect(Self.delay(code) == "PT30M")
            #expect(Self.delay(code, isInUse: false) == "PT8H")
            #expect(Self.delay(code, hasOnlyConfiguration: true) == "PT12H")
            #expect(Self.delay(code, interval: .minutes(5), isInUse: false, hasOnlyConfiguration: true) == "PT5M")
        }
        #expect(Self.delay(.policiesHaveNotChanged, interval: .seconds(-1)) == "PT1M")
        #expect(Self.delay(.policiesHaveNotChanged, interval: .days(400)) == "P1D")
    }

    @Test("refusals: 12 hours without licence or target, a day after another failed enrollment")
    func refusals() {
        for code in [StatusCode.accountNotLicensed, .licensedNotTargeted, .noPolicyReceived] {
            #expect(Self.delay(code) == "PT12H")
        }
        for code in [
            StatusCode.authRequired, .parsingFailure, .internalError, .deviceBlockedEnrollment, .tenantMigration,
        ] {
            #expect(Self.delay(code) == "P1D")
            #expect(
                Self.delay(code, isEnrolled: true) == "PT30M", "a check-in that failed is not an enrollment that failed"
            )
        }
        #expect(Self.delay(.policyRecordGone) == "PT0S")
    }

    @Test(
        "network failures: 1, 2, 4… minutes, never above 60, less with jitter",
        arguments: [
            StatusCode.enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .timeout,
            .locationServiceFailure,
        ])
    func backOff(_ code: StatusCode) {
        let delays = [1, 2, 3, 4, 5, 6, 7, 8, Int.max].map { Self.delay(code, failures: $0) }
        #expect(delays == ["PT1M", "PT2M", "PT4M", "PT8M", "PT16M", "PT32M", "PT1H", "PT1H", "PT1H"])
        #expect(Self.delay(code, failures: .min) == "PT1M")
        #expect(Self.delay(code, failures: 1, jitter: 0.5) == "PT52.5S")
        #expect(Self.delay(code, failures: 9, jitter: 2) == "PT45M")
        #expect(Self.delay(code, failures: 1, jitter: .nan) == "PT1M")
    }
}
