import MAMPolicy
import MAMService
import MAMSupport
import Testing

@testable import MAMLoad

/// Storms on a simulated clock: half an hour of outage, then everybody at once.
struct StormTests {
    @Test(arguments: [1, 2, 3])
    func `After half an hour everybody is served within 50 minutes`(seed: UInt64) {
        var simulation = StormSimulation()
        simulation.seed = seed
        let course = simulation.run()
        #expect(course.everybody <= 50, "\(course)")
        #expect(course.peak > 3, "it was no storm: \(course)")
        #expect(course.refusals > 0.1, "the service was never behind: \(course)")
    }

    @Test func `Back-off alone takes longer`() {
        var simulation = StormSimulation()
        simulation.saysWhen = false
        let course = simulation.run()
        #expect(course.everybody > 50, "\(course)")
    }

    @Test func `A service that queues everything works for clients that have given up`() {
        var simulation = StormSimulation()
        simulation.limit = .max
        #expect(simulation.run().everybody > 50)
    }

    @Test func `Without an outage nobody is refused`() {
        var simulation = StormSimulation()
        simulation.outage = 0
        let course = simulation.run()
        #expect(course.everybody <= 34)
        #expect(course.refusals == 0)
    }

    @Test func `Longer outages end as soon`() {
        var simulation = StormSimulation()
        simulation.outage = 240
        #expect(simulation.run().everybody <= 75)
    }

    @Test func `A reply that the service is behind names a time within ten minutes`() {
        for (fraction, wait) in [(0.0, "1"), (0.5, "301"), (0.999_999, "600"), (1, "600"), (-1, "1")] {
            let reply = ServiceReply.behind(fraction)
            #expect(reply.status == 503)
            #expect(reply.outcome == "behind")
            #expect(reply.fields.first { $0.name == "retry-after" }?.value == wait)
            #expect(!reply.fields.contains { $0.name == "signature" })
            #expect(reply.body.isEmpty)
        }
    }

    @Test func `No more requests are under way than the limit`() {
        let admission = ConcurrentRequestLimit(limit: 2)
        #expect(admission.enter())
        #expect(!admission.isFull)
        #expect(admission.enter())
        #expect(admission.isFull)
        #expect(!admission.enter())
        #expect(admission.underWay == 2)
        admission.leave()
        #expect(admission.enter())
        #expect(ConcurrentRequestLimit(limit: 0).enter())
    }
}
