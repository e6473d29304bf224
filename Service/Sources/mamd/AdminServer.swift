import Foundation
import Logging
import MAMSupport
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Performs the requests of administrators at a socket of this computer. A client sends one request as JSON and a line feed, and
/// receives one line: {"reply":…} or {"error":…}. The credentials of the socket tell which user asks.
struct AdminServer: ServiceLifecycle.Service {
    private static let longestRequest = 16 << 20

    typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let path: String
    /// The time for a whole request, and for the client to take the reply.
    private let patience: TimeAmount
    private let administrators: Administrators
    private let dispatcher: RequestDispatcher
    private let logger: Logger
    private let server: NIOAsyncChannel<Client, Never>

    /// Listen at a path.
    init(_ settings: Settings, dispatcher: RequestDispatcher, logger: Logger) async throws {
        (path, self.dispatcher, self.logger) = (settings.adminSocket, dispatcher, logger)
        patience = .milliseconds(Int64(settings.requestTimeout * 1000))
        administrators = Administrators(group: settings.adminGroup)
        guard !AdminServer.isInUse(path) else {
            throw Failure("\(path): another mamd listens there; stop it, or set adminSocket to another path")
        }
        do {
            server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) { channel in
                    channel.eventLoop.makeCompletedFuture { try Client(wrappingChannelSynchronously: channel) }
                }
        } catch is UnixDomainSocketPathWrongType {
            throw Failure("\(path): is not a socket; move it away, or set adminSocket to another path")
        }
        // The credentials decide. Without a group, the mode already keeps out everybody whom they would refuse.
        chmod(path, administrators.group == nil ? 0o600 : 0o666)
    }

    func run() async throws {
        defer { unlink(path) }
        try await untilGracefulShutdown {
            try await withThrowingDiscardingTaskGroup { tasks in
                try await server.executeThenClose { clients in
                    for try await client in clients { tasks.addTask { await serve(client) } }
                }
            }
        }
    }

    private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
        let channel = client.channel
        var end = deadline(of: channel)
        defer { end.cancel() }
        do {
            guard let options = channel as? any SocketOptionProvider else { return }
            let peer: PeerCredentials = try await options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
            try await client.executeThenClose { inbound, outbound in
                guard administrators.includes(peer) else {
                    logger.notice("administration refused", metadata: ["uid": "\(peer.uid)"])
                    let error = MAMError(
                        .permission,
                        "user \(peer.uid) of this computer does not administer this service: see adminGroup")
                    return try await outbound.write(AdminServer.line(.object([("error", error.json(in: nil))])))
                }
                var bytes = ByteBuffer()
                for try await part in inbound {
                    bytes.writeImmutableBuffer(part)
                    if part.readableBytesView.last == UInt8(ascii: "\n")
                        || bytes.readableBytes > AdminServer.longestRequest
                    {
                        break
                    }
                }
                // An action takes as long as it needs.
                end.cancel()
                let reply = await perform(Array(bytes.readableBytesView), for: peer.uid)
                end = deadline(of: channel)
                try await outbound.write(AdminServer.line(reply))
            }
        } catch {
            // The other end is gone; what it asked for is done, or never began.
            logger.debug("an administrator's connection ended", error: error)
        }
    }

    private func deadline(of channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    private func perform(_ request: [UInt8], for user: uid_t) async -> JSON {
        var action = "none"
        do throws(MAMError) {
            let json = try JSON(
                parsing: String(decoding: request, as: UTF8.self), limit: AdminServer.longestRequest)
            let reply = try await dispatcher.administer(json)
            action = json["action"]?.string ?? action
            logger.notice("administered", metadata: ["action": "\(action)", "uid": "\(user)"])
            return ["reply": reply]
        } catch {
            logger.notice(
                "not administered", metadata: ["reason": "\(error.code.name.map { "\($0)" } ?? "")", "uid": "\(user)"])
            return .object([("error", error.json(in: nil))])
        }
    }

    private static func line(_ json: JSON) -> ByteBuffer { ByteBuffer(bytes: json.utf8 + [UInt8(ascii: "\n")]) }

    /// Whether a process accepts connections at a path.
    static func isInUse(_ path: String) -> Bool {
        guard let client = try? AdminClient(path) else { return false }
        client.close()
        return true
    }
}

/// The process at the other end of a socket, as SO_PEERCRED returns it: `struct ucred`.
struct PeerCredentials {
    var pid: pid_t
    var uid: uid_t
    var gid: gid_t
}

/// The users who may administer a service by its socket: root, mamd's own user, and a group.
struct Administrators {
    let group: gid_t?

    /// The members of a group that exists; none for nil.
    init(group name: String?) { group = name.flatMap { getgrnam($0)?.pointee.gr_gid } }

    func includes(_ peer: PeerCredentials) -> Bool {
        guard peer.pid != 0 else { return false }
        if peer.uid == 0 || peer.uid == geteuid() { return true }
        guard let group else { return false }
        return peer.gid == group || Administrators.groups(of: peer.uid).contains(group)
    }

    /// The groups of a user, as the computer's database has them.
    private static func groups(of user: uid_t) -> [gid_t] {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return [] }
        var groups = [gid_t](repeating: 0, count: 1024)
        var count = Int32(groups.count)
        guard getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else { return [] }
        return Array(groups.prefix(Int(count)))
    }
}
