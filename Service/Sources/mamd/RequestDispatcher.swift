import Logging
import MAMService
import MAMSupport
import NIOCore
import Synchronization

/// Answers requests over the service's connections: one to SQLite, where one writes at a time, some to PostgreSQL. Most check-ins are
/// answered without one, by as many tasks as there are processors.
final class RequestDispatcher: Sendable {
    /// The connections to PostgreSQL for transactions. The reader of check-ins has another one.
    private static let transactions = 4

    private let provider: Provider?
    /// Bounds the requests that wait for the connections.
    let admission: ConcurrentRequestLimit
    private let connections: [ServiceConnection]
    /// The requests that each connection has to answer.
    private let waiting: Mutex<[Int]>
    private let checkIns: CheckInReplies
    /// Those of event loops. Each reads a file itself, since to wake another thread and be woken by it takes longer; a server is asked by one
    /// thread for all.
    private let gatherers: [ObjectIdentifier: CheckInGatherer]
    /// Asked over the connection that has the least to do: administrators have the first one.
    private let problems: SharedQuestion<String?>
    private let latestFigures: SharedQuestion<ServiceFigures?>

    /// `loops` are those that ask.
    init(
        folder: String, _ settings: Settings, provider: Provider?, loops: [any EventLoop], logger: Logger
    ) throws {
        admission = ConcurrentRequestLimit(limit: settings.requestsUnderWay)
        self.provider = provider
        let report: @Sendable (String) -> Void = { logger.error("\($0)") }
        let first = try MAMService.Service(folder: folder, settings, report: report)
        let checkIns = first.checkIns
        var connections = [ServiceConnection(first, logger: logger)]
        for _ in 1..<(settings.database == nil ? 1 : RequestDispatcher.transactions) {
            let service = try MAMService.Service(folder: folder, settings, sharing: checkIns, report: report)
            connections.append(ServiceConnection(service, logger: logger))
        }
        self.checkIns = checkIns
        self.connections = connections
        let idle = connections[connections.count - 1]
        problems = SharedQuestion { await idle.problem() }
        latestFigures = SharedQuestion { await idle.figures() }
        waiting = Mutex([Int](repeating: 0, count: connections.count))
        let file = ServiceFile(folder: folder, settings)
        let shared = settings.database == nil ? nil : CheckInGatherer(CheckInReader(file))
        let gatherers = try loops.map { loop in
            if let shared { return (ObjectIdentifier(loop), shared) }
            let reader = CheckInReader(file, of: loops.count)
            try reader.open()
            return (ObjectIdentifier(loop), CheckInGatherer(reader, on: loop))
        }
        self.gatherers = Dictionary(uniqueKeysWithValues: gatherers)
    }

    /// Answer a request, with one call of `answer` on the event loop: whoever brings no token does not wait for the provider.
    func answer(
        _ request: ServiceRequest, on loop: any EventLoop, _ answer: @escaping @Sendable (ServiceReply) -> Void
    ) {
        guard request.accessToken == nil, let registration = checkIns.registration(of: request),
            let gatherer = gatherers[ObjectIdentifier(loop)]
        else {
            return loop.answer(answer) { await self.reply(to: request) }
        }
        gatherer.read(registration, for: loop) { facts in
            if let facts, let reply = self.checkIns.reply(to: request, facts, now: .present) {
                answer(reply)
            } else {
                loop.answer(answer) { await self.reply(to: request) }
            }
        }
    }

    /// The reply to a request that may bring a token.
    private func reply(to request: ServiceRequest) async -> ServiceReply {
        var request = request
        switch request.accessToken {
        case nil: break
        case .success(let token): request.token = await provider?.verify(token) ?? .failure(.notAccepted)
        case .failure(let refusal): request.token = .failure(refusal)
        }
        return await leastBusy(request)
    }

    func administer(_ request: JSON) async throws(MAMError) -> JSON { try await connections[0].administer(request) }

    func storeSightings() async { await connections[0].storeSightings() }

    /// Forget what ended long ago, a part at a time.
    func forgetWhatEnded() async { while !Task.isCancelled, await connections[0].forgetWhatEnded() {} }

    /// Why apps cannot be answered now; nil where they can.
    func problem() async -> String? {
        guard let answer = await problems.answer() else { return "the database has not answered for 5 seconds" }
        return answer
    }

    /// The figures; nil where they cannot be read, or not in time.
    func figures() async -> ServiceFigures? { await latestFigures.answer() ?? nil }

    /// The reply of the connection that has the least to do.
    private func leastBusy(_ request: ServiceRequest) async -> ServiceReply {
        let index = waiting.withLock { waiting in
            let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[index] += 1
            return index
        }
        defer { waiting.withLock { $0[index] -= 1 } }
        return await connections[index].reply(to: request)
    }
}
