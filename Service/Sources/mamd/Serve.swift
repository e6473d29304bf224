import ArgumentParser
import CProcess
import CoreMetrics
import Foundation
import HummingbirdCore
import HummingbirdTLS
import Logging
import MAMService
import MAMSupport
import NIOCore
import NIOPosix
import ServiceLifecycle

/// `mamd serve`: answers apps until it receives SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer apps until SIGTERM or SIGINT.",
        discussion: """
            A setting is taken from its option, else from its variable (MAMD_LISTEN for --listen), else from mamd.json in the \
            folder.
            """)

    @OptionGroup var place: FolderOption
    @Option(help: "The address and port to listen on.")
    var listen: String?
    @Option(help: "The address and port of /metrics, without TLS; for loopback.")
    var metrics: String?
    @Option(help: "The path of the socket for administrators.")
    var adminSocket: String?
    @Option(help: "The group whose members may administer.")
    var adminGroup: String?
    @Option(help: "The PostgreSQL database; SQLite in the folder without.")
    var database: String?
    @Option(help: "A replica of that database, for what check-ins read.")
    var replica: String?
    @Option(help: "The form of log lines: \(LogFormat.words).")
    var logFormat: String?
    @Option(help: "The least important lines to log: \(LogLevel.words).")
    var logLevel: String?

    func run() async throws {
        let settings = try Settings(
            folder: place.folder,
            options: .options([
                .listen: listen, .metrics: metrics, .adminSocket: adminSocket, .adminGroup: adminGroup,
                .logFormat: logFormat, .logLevel: logLevel, .database: database, .replica: replica,
            ]))
        LoggingSystem.bootstrap { _ in LogWriter(format: settings.logFormat, logLevel: settings.logLevel.level) }
        MetricsSystem.bootstrap(TextMetrics.shared)
        umask(0o077)
        // A file at its largest size is a failed write, as a full disk is, and not the end.
        signal(SIGXFSZ, SIG_IGN)
        // Event loops wait for the thread that asks PostgreSQL. Twice as many as processors leave those idle for less of the time.
        if settings.database != nil { NIOSingletons.groupLoopCountSuggestion = 2 * System.coreCount }
        let logger = Logger(label: "mamd")
        let dispatcher = try RequestDispatcher(
            folder: place.folder, settings, provider: settings.signIn.map { Provider($0, logger: logger) },
            loops: Array(MultiThreadedEventLoopGroup.singleton.makeIterator()), logger: logger)
        var services: [any ServiceLifecycle.Service] = [
            Recorder(dispatcher: dispatcher), Housekeeper(dispatcher: dispatcher),
            try await AdminServer(settings, dispatcher: dispatcher, logger: logger),
        ]
        if let metrics = settings.metrics {
            let pages = RequestChannel(responder: Pages(dispatcher: dispatcher), patience: settings.requestTimeout)
            services.append(Serve.server(pages, at: metrics, logger))
        }
        let apps = RequestChannel(
            responder: Calls(dispatcher: dispatcher, logger: logger), patience: settings.requestTimeout)
        let running: @Sendable (any Channel) async -> Void = { _ in
            Output.write("mamd: listening on \(settings.listen)")
            process_unmap_code()
        }
        if settings.tls {
            let identity = try ServerIdentity(settings, folder: place.folder, logger: logger)
            let channel = try TLSChannel(apps, tlsConfiguration: identity.configuration)
            services += [identity, Serve.server(channel, at: settings.listen, logger, running)]
        } else {
            services.append(Serve.server(apps, at: settings.listen, logger, running))
        }
        // The last is stopped first.
        let group = ServiceGroup(
            configuration: .init(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private static func server(
        _ channel: some ServerChildChannel, at address: ListenAddress, _ logger: Logger,
        _ running: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> any ServiceLifecycle.Service {
        let server = channel.server(
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(4096)),
            onServerRunning: running, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        return Listener(server: server, address: address)
    }
}

/// A server whose address is named where it cannot be listened at.
private struct Listener: ServiceLifecycle.Service {
    let server: any ServiceLifecycle.Service
    let address: ListenAddress

    func run() async throws {
        do { try await server.run() } catch let error as IOError {
            throw Failure("\(address): \(String(cString: strerror(error.errnoCode)))")
        }
    }
}

/// Run `body` until a graceful shutdown cancels it.
func untilGracefulShutdown(_ body: @Sendable @escaping () async throws -> Void) async throws {
    do { try await cancelWhenGracefulShutdown(body) } catch is CancellationError {}
}

/// Stores when apps were last seen, once a second and at the end.
struct Recorder: ServiceLifecycle.Service {
    let dispatcher: RequestDispatcher

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                await dispatcher.storeSightings()
            }
        }
        await dispatcher.storeSightings()
    }
}

/// Forgets what ended long ago, at the start and once a day.
struct Housekeeper: ServiceLifecycle.Service {
    let dispatcher: RequestDispatcher

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await dispatcher.forgetWhatEnded()
                try? await Task.sleep(for: .seconds(86_400))
            }
        }
    }
}
