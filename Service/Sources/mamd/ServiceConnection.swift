import Dispatch
import Logging
import MAMService
import MAMSupport

/// A connection to the database, with a thread of its own: it waits for disks and servers, which tasks of the process must not.
actor ServiceConnection {
    private let service: MAMService.Service
    private let logger: Logger
    private nonisolated let thread = ThreadExecutor(label: "mamd.database")

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ service: sending MAMService.Service, logger: Logger) {
        (self.service, self.logger) = (service, logger)
    }

    func reply(to request: ServiceRequest) -> ServiceReply { service.reply(to: request, now: .present) }

    func administer(_ request: JSON) throws(MAMError) -> JSON { try service.administer(request, now: .present) }

    func storeSightings() { service.storeSightings(now: .present) }

    func forgetWhatEnded() -> Bool { service.forgetWhatEnded(now: .present) }

    func problem() -> String? { service.problem }

    /// The figures; nil, and a line of the log, where the database cannot be read.
    func figures() -> ServiceFigures? {
        do throws(MAMError) { return try service.figures() } catch {
            logger.error("\(error.message)")
            return nil
        }
    }
}

/// Runs an actor's work on a queue of its own, outside the pool of threads that all other tasks share.
final class ThreadExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
