import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// The schedule of a session is the plan that simulated computers follow.
struct ScheduleTests {
    struct Step: Sendable {
        let code: StatusCode
        var wait: TimeSpan?
        /// The bounds of the time to the next request.
        let range: ClosedRange<TimeSpan>
    }

    static let steps = [
        Step(code: .policiesHaveNotChanged, range: .minutes(30)...(.minutes(30))),
        Step(code: .policyEndPointNetworkFailure, range: .seconds(45)...(.minutes(1))),
        Step(code: .timeout, range: .seconds(90)...(.minutes(2))),
        Step(code: .policyEndPointNetworkFailure, range: .minutes(3)...(.minutes(4))),
        Step(code: .policyEndPointNetworkFailure, range: .minutes(6)...(.minutes(8))),
        // A service that is behind says when: minutes begin with one again.
        Step(code: .policyEndPointNetworkFailure, wait: .seconds(5), range: .seconds(45)...(.minutes(1))),
        Step(code: .policyEndPointNetworkFailure, wait: .minutes(8), range: .minutes(8)...(.minutes(10))),
        Step(code: .policyEndPointNetworkFailure, range: .seconds(90)...(.minutes(2))),
        Step(code: .policiesHaveNotChanged, range: .minutes(30)...(.minutes(30))),
        Step(code: .parsingFailure, range: .minutes(30)...(.minutes(30))),
        Step(code: .licensedNotTargeted, wait: .hours(12), range: .hours(12)...(.hours(15))),
        // Gone after a failure: it may have been enrolled anew just before.
        Step(code: .policyRecordGone, range: .minutes(3)...(.minutes(4))),
        Step(code: .policiesHaveNotChanged, range: .minutes(30)...(.minutes(30))),
        Step(code: .policyRecordGone, range: .seconds(0)...(.seconds(0))),
    ]

    @Test func `A session plans as simulated computers do`() throws {
        let context = try ContextFixture(SessionFixture())
        var record = AccountRecord(
            accountId: "ann-id", upn: "ann@contoso.example", tenantId: "contoso", state: .enrolled)
        var plans = [0.0, 0.999_999].map { (jitter: $0, plan: CheckInPlan()) }
        for (number, step) in ScheduleTests.steps.enumerated() {
            let now = context.place.time.clock.now()
            context.schedule.use.record()
            context.schedule.plan(&record, after: step.code, isEnrolled: true, notBefore: step.wait)
            var ending = CheckInPlan.Ending(step.code, isEnrolled: true)
            ending.wait = step.wait
            for index in plans.indices {
                plans[index].plan.update(
                    after: ending, at: now, isInUse: true, isSpread: false, jitter: plans[index].jitter)
            }
            let due = try #require(record.nextCheckIn)
            let bounds = plans.compactMap { $0.plan.next }.sorted()
            #expect(due >= bounds[0] && due <= bounds[1], "step \(number)")
            #expect(step.range.contains(due - now), "step \(number): \((due - now).milliseconds)")
            #expect(Int(record.failures) == plans[0].plan.failures, "step \(number)")
            #expect(record.nextInUse == nil && plans[0].plan.nextInUse == nil)
            context.place.time.advance(.minutes(1))
        }
    }
}
