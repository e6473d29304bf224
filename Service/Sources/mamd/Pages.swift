import CoreMetrics
import HTTPTypes
import Hummingbird

/// The pages for whoever watches over the process: `/healthz`, `/readyz` and, at an address of their own, the figures.
enum Pages {
    /// The page of a path; nil where it has none.
    static func respond(to path: String, with desk: Desk, hasMetrics: Bool) async -> Response? {
        switch path {
        case "/healthz": return text(.ok, "ok\n")
        case "/readyz":
            guard let problem = await desk.problem() else { return text(.ok, "ok\n") }
            return text(.serviceUnavailable, problem + "\n")
        case "/metrics" where hasMetrics:
            Meter(label: "mamd_ready").set(await desk.problem() == nil ? 1 : 0)
            if let figures = await desk.figures() {
                Meter(label: "mamd_registrations").set(figures.registrations)
                Meter(label: "mamd_registrations_to_wipe").set(figures.registrationsToWipe)
                Meter(label: "mamd_sequence").set(figures.sequence)
            }
            return text(.ok, TextMetrics.shared.text, "text/plain; version=0.0.4; charset=utf-8")
        default: return nil
        }
    }

    static func text(
        _ status: HTTPResponse.Status, _ text: String, _ type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
