import Logging
import MAMService
import MAMSupport

/// The service behind one queue: SQLite and the keys are used by one task at a time.
actor Desk {
    private let service: MAMService.Service
    private let logger: Logger
    private let provider: Provider?
    /// Bounds the requests that wait for this queue.
    nonisolated let admission: Admission

    init(folder: String, _ settings: Settings, provider: Provider?, logger: Logger) throws {
        admission = Admission(limit: settings.requestsUnderWay)
        (self.provider, self.logger) = (provider, logger)
        service = try MAMService.Service(folder: folder, settings) { logger.error("\($0)") }
    }

    func reply(to request: ServiceRequest) -> ServiceReply { service.reply(to: request, now: .present) }

    /// The reply to a request that may bring a token: whoever brings none does not wait for the provider.
    nonisolated func reply(toCall request: ServiceRequest) async -> ServiceReply {
        guard let token = request.accessToken else { return await reply(to: request) }
        var request = request
        switch token {
        case .success(let token): request.token = await provider?.verify(token) ?? .failure(.notAccepted)
        case .failure: request.token = token
        }
        return await reply(to: request)
    }

    func administer(_ request: JSON) throws(MAMError) -> JSON { try service.administer(request, now: .present) }

    func storeSightings() { service.storeSightings() }

    func problem() -> String? { service.problem }

    /// The figures; nil, and a line of the log, where the database cannot be read.
    func figures() -> ServiceFigures? {
        do throws(MAMError) { return try service.figures() } catch {
            logger.error("\(error.message)")
            return nil
        }
    }
}
