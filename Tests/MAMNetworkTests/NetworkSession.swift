import Foundation
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession

/// Carries requests to a service in this process. While it is held, none is answered: each waits until it is released or interrupted.
final class HeldTransport: Transport {
    private struct Contents {
        var isHeld = false
        var waiting = 0
        var interrupted = 0
        var isProxied = false
        var credentials: ProxyCredentials?
    }
    private let contents = Monitor(Contents())
    private let service: LoopbackService
    private let interrupts: InterruptSource

    init(_ service: LoopbackService, _ interrupts: InterruptSource) {
        (self.service, self.interrupts) = (service, interrupts)
    }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        let wait = interrupts.beginWait(isForNetwork: true)
        contents.change { $0.waiting += 1 }
        defer { contents.change { $0.waiting -= 1 } }
        let isReleased = contents.wait { contents -> Monitor<Contents>.Attempt<Bool> in
            if wait.isInterrupted {
                contents.interrupted += 1
                return .done(false)
            }
            return contents.isHeld ? .wait(milliseconds: 5) : .done(true)
        }
        guard isLetThrough else { throw TransportFailure(.proxyLogin, "the proxy asks for a user and a password") }
        guard isReleased else { throw TransportFailure(.interrupted, "the request was interrupted") }
        return try service.exchange(request)
    }

    /// Whether the proxy lets a request through, if there is one: it knows one user.
    private var isLetThrough: Bool {
        contents.withLock { contents in
            !contents.isProxied
                || contents.credentials?.withPointers { user, password in
                    user.map { String(cString: $0) } == "ann" && password.map { String(cString: $0) } == "open sesame"
                } == true
        }
    }

    /// Put a proxy before the service that asks who uses it.
    func wantsCredentials(_ isProxied: Bool) { contents.change { $0.isProxied = isProxied } }
    func use(_ credentials: ProxyCredentials?) { contents.change { $0.credentials = credentials } }

    func hold() { contents.change { $0.isHeld = true } }
    func release() { contents.change { $0.isHeld = false } }

    /// Wait until this many requests wait for their answer.
    func awaitWaiting(_ count: Int) { contents.wait { $0.waiting >= count ? .done(()) : .wait(milliseconds: -1) } }

    var waiting: Int { contents.withLock { $0.waiting } }
    var interrupted: Int { contents.withLock { $0.interrupted } }
}

/// A session of `notes` whose authority is a service in this process.
final class NetworkSession {
    let service: LoopbackService
    let session: Session
    let transport: HeldTransport
    let folder: String
    /// Whether `accessToken` is answered with an invitation, and how often it was asked.
    var givesInvitations = true
    /// Whether it is answered with a sign-in by libmam instead.
    var signsIn = false
    private(set) var invited = 0
    /// The latest question `accessToken`.
    private(set) var asked: JSON?
    /// The answer to `proxyCredentials`, null for nil, and how often it was asked.
    var proxyAnswer: String? = "ann:open sesame"
    private(set) var proxied = 0
    private let uptime = Locked(TimeSpan.seconds(1))
    private let boot = Locked("boot")

    /// `provider`: changes of the service's settings of the provider; `other`: a session whose state and service this one shares.
    init(
        worker: Bool = true, delegate: Bool = false, signIn: Bool = false, provider: [JSON.Member] = [],
        beside other: NetworkSession? = nil, _ policy: [JSON.Member] = []
    ) throws {
        service = try other?.service ?? LoopbackService(signIn: signIn, provider)
        folder = other?.folder ?? NSTemporaryDirectory() + "network-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if !policy.isEmpty { try service.importPolicy(policy) }
        let settings = try OpenSettings([
            "app": ["id": "notes", "version": "1.0"], "stateDirectory": .string(folder + "/state"),
            "authority": try service.service.settings(certificate: nil), "worker": .bool(worker),
            "questions": delegate ? "delegate" : "events", "device": ["lock": "on"],
        ])
        let (service, uptime, boot) = (service, uptime, boot)
        let clock = Clock(
            now: { service.clientTime }, sinceBoot: { uptime.withLock { $0 } }, boot: { boot.withLock { $0 } })
        let made = Locked<HeldTransport?>(nil)
        session = try Session(settings, clock: clock) { interrupts in
            let transport = HeldTransport(service, interrupts)
            made.withLock { $0 = transport }
            return transport
        }
        transport = try #require(made.withLock { $0 })
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Let time pass on both sides.
    func advance(_ span: TimeSpan) {
        service.clientTime = service.clientTime + span
        service.serviceTime = service.serviceTime + span
        uptime.withLock { $0 = TimeSpan(milliseconds: $0.milliseconds + span.milliseconds) }
    }

    /// Let the computer start anew, after some time.
    func reboot(after span: TimeSpan) {
        advance(span)
        boot.withLock { $0 += "+" }
        uptime.withLock { $0 = .seconds(1) }
    }

    /// Wait for an operation; answer `accessToken` with an invitation, and `wipeData` with true.
    func finish(_ operation: Int64) throws -> OperationResult {
        while true {
            do { return try session.operations.wait(for: operation, milliseconds: 50) } catch {
                guard error.code == .timeout else { throw error }
            }
            while let event = try? session.events.next(milliseconds: 0) {
                guard let id = event["id"]?.integer else { continue }
                if event["question"] == "accessToken" {
                    invited += 1
                    asked = event
                    guard !signsIn else {
                        try session.events.answer(id, json: ["signIn": true])
                        continue
                    }
                    guard givesInvitations else {
                        try session.events.answer(id, json: .null)
                        continue
                    }
                    try session.events.answer(id, secret: try service.invitation())
                } else if event["question"] == "proxyCredentials" {
                    proxied += 1
                    if let bytes = proxyAnswer.map({ Array($0.utf8) }) {
                        let secret = try SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
                        try session.events.answer(id, secret: secret)
                    } else {
                        try session.events.answer(id, json: .null)
                    }
                } else if event["question"] == "wipeData" {
                    try session.events.answer(id, json: ["removed": true])
                }
            }
        }
    }

    /// Every event that waits.
    func events() -> [JSON] {
        var all: [JSON] = []
        while let event = try? session.events.next(milliseconds: 0) { all.append(event) }
        return all
    }

    func code(_ operation: Int64) throws -> StatusCode {
        guard case .enrollment(let status) = try finish(operation) else { throw MAMError(.internal, "no status") }
        return status.code
    }

    func checkIn() throws -> StatusCode { try code(try session.registrations.checkIn(.notGiven)) }

    /// Let the next check-in ask the service, not the reply to the enrollment.
    func forgetDelivery() {
        (session.authority as? ServiceAuthority)?.memory.withLock { $0.deliveries = [:] }
    }

    func enroll() throws {
        let operation = try session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try code(operation) == .newPoliciesReceived)
    }

    var ann: AccountArgument { get throws { try AccountArgument("ann@contoso.example") } }

    func end() {
        session.beginClosing()
        session.close()
    }
}
