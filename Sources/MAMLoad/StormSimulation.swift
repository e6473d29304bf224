import MAMAuthority
import MAMPolicy
import MAMService
import MAMSupport

/// An outage of a service and what follows it, on a simulated clock: the computers follow the library's schedule, and the service
/// admits what ``ConcurrentRequestLimit`` admits and works at a steady speed. No time passes and nothing is sent.
public struct StormSimulation {
    /// The number of computers, all in use.
    public var computers = 10_000
    /// How long the service is away, in minutes.
    public var outage: Int64 = 30
    /// The work that the service can do, as a multiple of what the computers ask for in quiet times.
    public var capacity = 1.5
    /// The most requests under way.
    public var limit = 64
    /// Whether the service that is behind says when to come back.
    public var saysWhen = true
    /// The seed of all random numbers.
    public var seed: UInt64 = 1

    /// The course of a storm.
    public struct Course: Equatable, Sendable {
        /// When everybody, and when 99 of 100, had been served once after the outage, in minutes from its end.
        public let everybody: Double, most: Double
        /// The most requests of a minute, as a multiple of those of quiet times.
        public let peak: Double
        /// Requests that were refused because the service was behind, for each computer.
        public let refusals: Double
    }

    private enum Event {
        case request(Int)
        case finished(Int, waitingSince: Instant)
    }

    /// Create a simulation; its properties say of what.
    public init() {}

    private static let interval = TimeSpan.minutes(30)
    /// The client gives up then.
    private static let timeout = TimeSpan.seconds(30)

    /// Simulate until everybody is served, at most a day.
    public func run() -> Course {
        var run = Run(self)
        return run.course()
    }

    private struct Run {
        let simulation: StormSimulation
        let begin: Instant, end: Instant
        /// The time that the service takes for a request, in milliseconds.
        let work: Double
        let admission: ConcurrentRequestLimit
        var random: SeededRandom
        var plans: [CheckInPlan]
        var events = DueQueue<Event>()
        /// When the service has done all that it has admitted, in milliseconds.
        var busyUntil = 0.0
        var isServed: [Bool]
        var served: [Double] = []
        var minutes: [Int64: Int] = [:]
        var refusals = 0

        init(_ simulation: StormSimulation) {
            self.simulation = simulation
            begin = Instant(milliseconds: 0) + StormSimulation.interval
            end = begin + .minutes(simulation.outage)
            let count = max(simulation.computers, 1)
            work = Double(StormSimulation.interval.milliseconds) / Double(count) / max(simulation.capacity, 0.01)
            admission = ConcurrentRequestLimit(limit: simulation.limit)
            random = SeededRandom(simulation.seed)
            plans = Array(repeating: CheckInPlan(), count: count)
            isServed = Array(repeating: false, count: count)
            for computer in 0..<count {
                let at = Int64(random.fraction() * Double(StormSimulation.interval.milliseconds))
                events.add(.request(computer), due: Instant(milliseconds: at))
            }
        }

        mutating func course() -> Course {
            while served.count < plans.count, let (now, event) = events.take(), now < end + .days(1) {
                switch event {
                case .request(let computer): ask(computer, now)
                case .finished(let computer, let since):
                    admission.leave()
                    // It has done the work for nobody: the client has gone.
                    guard now - since < StormSimulation.timeout else { break }
                    note(.policiesHaveNotChanged, nil, computer, now)
                    guard now >= end, !isServed[computer] else { break }
                    isServed[computer] = true
                    served.append(Double((now - end).milliseconds) / 60_000)
                }
            }
            let quiet = Double(plans.count) / 30
            let all = served.count == plans.count ? served.last ?? 0 : .infinity
            return Course(
                everybody: all, most: served.isEmpty ? .infinity : served[served.count * 99 / 100],
                peak: Double(minutes.values.max() ?? 0) / quiet, refusals: Double(refusals) / Double(plans.count))
        }

        private mutating func ask(_ computer: Int, _ now: Instant) {
            guard now < begin || now >= end else { return note(.policyEndPointNetworkFailure, nil, computer, now) }
            if now >= end { minutes[(now - end).milliseconds / 60_000, default: 0] += 1 }
            guard admission.enter() else {
                if now >= end { refusals += 1 }
                let reply = ServiceReply.behind(random.fraction())
                let wait = simulation.saysWhen ? RetryAfter.wait(reply.fields, now: now) : nil
                return note(.policyEndPointNetworkFailure, wait, computer, now)
            }
            busyUntil = max(busyUntil, Double(now.milliseconds)) + work
            let finished = Instant(milliseconds: Int64(busyUntil))
            events.add(.finished(computer, waitingSince: now), due: finished)
            if finished - now >= StormSimulation.timeout {
                note(.timeout, nil, computer, now + StormSimulation.timeout)
            }
        }

        /// Note how a request ended, and plan the next one.
        private mutating func note(_ code: StatusCode, _ wait: TimeSpan?, _ computer: Int, _ now: Instant) {
            var ending = CheckInPlan.Ending(code, isEnrolled: true)
            ending.wait = wait
            plans[computer].update(after: ending, at: now, isInUse: true, isSpread: true, jitter: random.fraction())
            events.add(.request(computer), due: plans[computer].next ?? now)
        }
    }
}
