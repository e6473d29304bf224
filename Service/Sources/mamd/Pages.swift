import CoreMetrics
import MAMService
import NIOCore

/// The pages for monitors: `/healthz`, `/readyz` and, at an address of their own, the figures.
struct Pages: Responder {
    let dispatcher: RequestDispatcher

    var refusal: ServiceReply? { nil }

    func respond(
        to request: ServiceRequest, on loop: any EventLoop, _ answer: @escaping @Sendable (ServiceReply) -> Void
    ) {
        guard !Pages.respond(to: request.path, with: dispatcher, hasMetrics: true, on: loop, answer) else { return }
        answer(Pages.text(404, "there are /healthz, /readyz and /metrics\n"))
    }

    /// Answer with the page of a path; false where it has none.
    static func respond(
        to path: String, with dispatcher: RequestDispatcher, hasMetrics: Bool, on loop: any EventLoop,
        _ answer: @escaping @Sendable (ServiceReply) -> Void
    ) -> Bool {
        switch path {
        case "/healthz": answer(text(200, "ok\n"))
        case "/readyz":
            loop.answer(answer) {
                guard let problem = await dispatcher.problem() else { return text(200, "ok\n") }
                return text(503, problem + "\n")
            }
        case "/metrics" where hasMetrics:
            loop.answer(answer) {
                async let problem = dispatcher.problem()
                async let figures = dispatcher.figures()
                Meter(label: "mamd_ready").set(await problem == nil ? 1 : 0)
                if let figures = await figures {
                    Meter(label: "mamd_registrations").set(figures.registrations)
                    Meter(label: "mamd_registrations_to_wipe").set(figures.registrationsToWipe)
                    Meter(label: "mamd_sequence").set(figures.sequence)
                }
                return text(200, TextMetrics.shared.text, "text/plain; version=0.0.4; charset=utf-8")
            }
        default: return false
        }
        return true
    }

    /// A reply that is read by people.
    static func text(_ status: Int, _ text: String, _ type: String = "text/plain; charset=utf-8") -> ServiceReply {
        ServiceReply(
            status: status, fields: [("content-type", type), ("cache-control", "no-store")], body: Array(text.utf8))
    }
}

extension EventLoop {
    /// Answer on this loop with what a task makes.
    func answer(
        _ answer: @escaping @Sendable (ServiceReply) -> Void, _ make: @escaping @Sendable () async -> ServiceReply
    ) {
        Task {
            let reply = await make()
            execute { answer(reply) }
        }
    }
}
