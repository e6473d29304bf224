import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import MAMService
import MAMSupport
import NIOSSL
import ServiceLifecycle

/// `mamd serve`: answers apps until it receives SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Answer apps until SIGTERM or SIGINT.")

    @OptionGroup var place: FolderOption
    @Option(help: "The address and port to listen on, in place of the one in mamd.json.")
    var listen: String?

    func run() async throws {
        let kept = try Settings(folder: place.folder)
        let settings = try Settings(publicURL: kept.publicURL, listen: listen ?? kept.listen, tls: kept.tls)
        var logger = Logger(label: "mamd")
        logger.logLevel = .notice
        let desk = try Desk(folder: place.folder, logger: logger)
        let address = settings.address
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                await Serve.respond(to: request, with: desk)
            },
            server: try Serve.server(settings, folder: place.folder),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(4096)),
            services: [Recorder(desk: desk)],
            onServerRunning: { _ in
                FileHandle.standardOutput.write(Data("mamd: listening on \(settings.listen)\n".utf8))
            },
            logger: logger)
        try await application.runService()
    }

    private static func server(_ settings: Settings, folder: String) throws -> HTTPServerBuilder {
        let http = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [RequestDeadline()],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)))
        guard settings.tls else { return http }
        let certificates = Certificates(folder: folder)
        try certificates.renew(hosts: settings.hosts, now: Date())
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.serverPath).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.serverKeyPath, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        return try .tls(http, tlsConfiguration: configuration)
    }

    private static func respond(to request: Request, with desk: Desk) async -> Response {
        let path = request.head.path ?? "/"
        switch path {
        case "/healthz": return text(.ok, "ok\n")
        case "/readyz":
            guard let problem = await desk.problem() else { return text(.ok, "ok\n") }
            return text(.serviceUnavailable, problem + "\n")
        default: break
        }
        guard let buffer = try? await request.body.collect(upTo: MAMService.Service.longestRequest) else {
            return text(.contentTooLarge, "the body is longer than \(MAMService.Service.longestRequest) bytes\n")
        }
        let reply = await desk.reply(
            to: ServiceRequest(
                method: request.method.rawValue, path: path, host: request.head.authority ?? "",
                fields: request.headers.map { ($0.name.canonicalName, $0.value) },
                body: Array(buffer.readableBytesView)))
        var fields = HTTPFields()
        for (name, value) in reply.fields {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return Response(
            status: HTTPResponse.Status(code: reply.status), headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Stores when apps were last seen, once a second and at the end.
struct Recorder: ServiceLifecycle.Service {
    let desk: Desk

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                await desk.storeSightings()
            }
        }
        await desk.storeSightings()
    }
}

/// The service behind one queue: SQLite and the keys are used by one task at a time.
actor Desk {
    private let service: MAMService.Service

    init(folder: String, logger: Logger) throws {
        service = try MAMService.Service(folder: folder) { logger.error("\($0)") }
    }

    func reply(to request: ServiceRequest) -> ServiceReply { service.reply(to: request, now: .present) }

    func storeSightings() { service.storeSightings() }

    func problem() -> String? { service.problem }
}
