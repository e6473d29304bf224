import CoreMetrics
import Logging
import MAMService
import MAMSupport
import NIOCore
import Synchronization

/// Answers the calls of the app protocol, counted and logged by call, outcome and duration.
struct Calls: Responder {
    /// Requests are counted by these.
    private struct Kind: Hashable {
        let call, outcome: String
    }

    /// Of each kind that there was.
    private static let figures = Mutex<[Kind: (Counter, Timer)]>([:])

    let dispatcher: RequestDispatcher
    let logger: Logger

    /// As many requests as can be answered in time are under way: before anything is read or done for one more.
    var refusal: ServiceReply? { dispatcher.admission.isFull ? behind(.now) : nil }

    func respond(
        to request: ServiceRequest, on loop: any EventLoop, _ answer: @escaping @Sendable (ServiceReply) -> Void
    ) {
        guard !Pages.respond(to: request.path, with: dispatcher, hasMetrics: false, on: loop, answer) else { return }
        let begin = ContinuousClock.now
        // It counts from here on: a client that sends half a request takes the place of no other.
        guard dispatcher.admission.enter() else { return answer(behind(begin)) }
        dispatcher.answer(request, on: loop) { reply in
            dispatcher.admission.leave()
            let taken = Calls.count(reply.call, reply.outcome, since: begin)
            let id = String(UInt64.random(in: .min ... .max), radix: 36)
            logger.info(
                "request",
                metadata: [
                    "request": "\(id)", "call": "\(reply.call)", "outcome": "\(reply.outcome)",
                    "status": "\(reply.status)", "ms": "\(taken / 1_000_000)",
                ])
            var reply = reply
            reply.fields.append(("mam-request", id))
            answer(reply)
        }
    }

    /// The reply to one request more than can be answered in time.
    private func behind(_ begin: ContinuousClock.Instant) -> ServiceReply {
        let reply = ServiceReply.behind(.random(in: 0..<1))
        Calls.count(reply.call, reply.outcome, since: begin)
        return reply
    }

    /// Count a request; returns how long it took, in nanoseconds.
    @discardableResult
    private static func count(_ call: String, _ outcome: String, since begin: ContinuousClock.Instant) -> Int64 {
        let (seconds, rest) = (ContinuousClock.now - begin).components
        let taken = seconds * 1_000_000_000 + rest / 1_000_000_000
        let (counter, timer) = figures.withLock { known in
            if let found = known[Kind(call: call, outcome: outcome)] { return found }
            let made = (
                Counter(label: "mamd_requests_total", dimensions: [("call", call), ("outcome", outcome)]),
                Timer(label: "mamd_request_seconds", dimensions: [("call", call)])
            )
            known[Kind(call: call, outcome: outcome)] = made
            return made
        }
        counter.increment()
        timer.recordNanoseconds(taken)
        return taken
    }
}
