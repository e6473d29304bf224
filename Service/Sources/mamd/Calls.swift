import CoreMetrics
import HTTPTypes
import Hummingbird
import Logging
import MAMService
import Synchronization

/// The calls of the app protocol over HTTP, counted and logged by call, outcome and duration.
enum Calls {
    /// Requests are counted by these.
    private struct Kind: Hashable {
        let call, outcome: String
    }

    /// Of each kind that there was.
    private static let figures = Mutex<[Kind: (Counter, Timer)]>([:])

    static func respond(to request: Request, with desk: Desk, _ logger: Logger) async -> Response {
        let path = request.head.path ?? "/"
        if let page = await Pages.respond(to: path, with: desk, hasMetrics: false) { return page }
        let begin = ContinuousClock.now
        // Before anything is read or done for it.
        guard !desk.admission.isFull else { return behind(begin) }
        let longest = MAMService.Service.longestRequest
        guard let buffer = try? await request.body.collect(upTo: longest) else {
            count("none", "unsigned", since: begin)
            return Pages.text(.contentTooLarge, "the body is longer than \(longest) bytes\n")
        }
        // It counts from here on: whoever sends half a request takes nobody's place.
        guard desk.admission.enter() else { return behind(begin) }
        defer { desk.admission.leave() }
        let reply = await desk.reply(
            toCall: ServiceRequest(
                method: request.method.rawValue, path: path, host: request.head.authority ?? "",
                fields: request.headers.map { ($0.name.canonicalName, $0.value) },
                body: Array(buffer.readableBytesView)))
        let taken = count(reply.call, reply.outcome, since: begin)
        let id = String(UInt64.random(in: .min ... .max), radix: 36)
        logger.info(
            "request",
            metadata: [
                "request": "\(id)", "call": "\(reply.call)", "outcome": "\(reply.outcome)", "status": "\(reply.status)",
                "ms": "\(taken / 1_000_000)",
            ])
        return response(reply, [("mam-request", id)])
    }

    /// Refuse a request because as many as can be answered in time are under way.
    private static func behind(_ begin: ContinuousClock.Instant) -> Response {
        let reply = ServiceReply.behind(.random(in: 0..<1))
        count(reply.call, reply.outcome, since: begin)
        return response(reply)
    }

    private static func response(_ reply: ServiceReply, _ more: [(name: String, value: String)] = []) -> Response {
        var fields = HTTPFields()
        for (name, value) in reply.fields + more {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return Response(
            status: HTTPResponse.Status(code: reply.status), headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
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
