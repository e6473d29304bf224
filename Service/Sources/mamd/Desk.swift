import Logging
import MAMService
import MAMSupport

/// The service behind one queue: SQLite and the keys are used by one task at a time.
actor Desk {
    private let service: MAMService.Service
    private let logger: Logger

    init(folder: String, logger: Logger) throws {
        self.logger = logger
        service = try MAMService.Service(folder: folder) { logger.error("\($0)") }
    }

    func reply(to request: ServiceRequest) -> ServiceReply { service.reply(to: request, now: .present) }

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
