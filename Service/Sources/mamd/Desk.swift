import Logging
import MAMService
import MAMSupport

/// The service behind one queue: its connection and keys are used by one task at a time. On PostgreSQL, most check-ins are answered
/// beside it, by as many tasks as there are processors.
actor Desk {
    private let service: MAMService.Service
    private let logger: Logger
    private let provider: Provider?
    /// Bounds the requests that wait for this queue.
    nonisolated let admission: Admission
    private nonisolated let checkIns: CheckIns
    /// Reads the facts of check-ins; nil for SQLite.
    private nonisolated let gatherer: CheckInGatherer?

    init(folder: String, _ settings: Settings, provider: Provider?, logger: Logger) throws {
        admission = Admission(limit: settings.requestsUnderWay)
        (self.provider, self.logger) = (provider, logger)
        service = try MAMService.Service(folder: folder, settings) { logger.error("\($0)") }
        checkIns = service.checkIns
        gatherer = try CheckInReader(ServiceFile(folder: folder, settings)).map(CheckInGatherer.init)
    }

    func reply(to request: ServiceRequest) -> ServiceReply { service.reply(to: request, now: .present) }

    /// The reply to a request that may bring a token: whoever brings none does not wait for the provider.
    nonisolated func reply(toCall request: ServiceRequest) async -> ServiceReply {
        guard let token = request.accessToken else {
            if let gatherer, let registration = checkIns.registration(of: request),
                let facts = await gatherer.facts(of: registration),
                let reply = checkIns.reply(to: request, facts, now: .present)
            {
                return reply
            }
            return await reply(to: request)
        }
        var request = request
        switch token {
        case .success(let token): request.token = await provider?.verify(token) ?? .failure(.notAccepted)
        case .failure: request.token = token
        }
        return await reply(to: request)
    }

    func administer(_ request: JSON) throws(MAMError) -> JSON { try service.administer(request, now: .present) }

    func storeSightings() { service.storeSightings(now: .present) }

    func problem() -> String? { service.problem }

    /// The figures; nil, and a line of the log, where the database cannot be read.
    func figures() -> ServiceFigures? {
        do throws(MAMError) { return try service.figures() } catch {
            logger.error("\(error.message)")
            return nil
        }
    }
}
