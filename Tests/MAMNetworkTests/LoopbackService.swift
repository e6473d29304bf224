import Foundation
import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

@testable import MAMAuthority
@testable import MAMService

/// The verification of requests by libcrypto; exchange keys are tested with mamd itself.
struct LibraryCryptography: ServiceCryptography {
    func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        RequestKey.verifies(signature, of: message, by: key)
    }

    func isKey(_ bytes: [UInt8]) -> Bool { bytes.count == 65 }
    func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info: [UInt8]) -> [UInt8]? { nil }
}

/// A service in this process, with ann and a policy for all users in `notes`, and the wire to it.
final class LoopbackService: Transport, @unchecked Sendable {
    static let url = "https://mam.example.org/contoso"
    let folder: String
    let service: Service
    private let times = Locked(
        (service: Instant(milliseconds: 1_795_000_000_000), client: Instant(milliseconds: 1_795_000_000_000)))
    /// The clocks of both sides.
    var serviceTime: Instant {
        get { times.withLock { $0.service } }
        set { times.withLock { $0.service = newValue } }
    }
    var clientTime: Instant {
        get { times.withLock { $0.client } }
        set { times.withLock { $0.client = newValue } }
    }
    /// The change that somebody on the wire makes to a reply; nil for nothing.
    var tamper: ((TransportRequest, TransportReply) throws(TransportFailure) -> TransportReply)?
    /// The change that somebody on the wire makes to a request; nil for nothing.
    var swap: ((TransportRequest) -> TransportRequest)?
    /// One thread at a time uses the service.
    private let turns = Locked(())
    private(set) var requests: [TransportRequest] = []
    /// The provider at which people sign in, which answers requests for its host.
    let provider = FakeProvider()

    /// `signIn`: people sign in at the provider, by settings with these changes.
    init(signIn: Bool = false, _ changes: [JSON.Member] = []) throws {
        folder = NSTemporaryDirectory() + "loopback-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = ServiceFile(path: folder + "/mamd.db", keyPath: folder + "/mamd.key")
        try file.create(tenant: "contoso", name: "Contoso", recovery: ServiceFile.newRecoveryKey())
        service = try Service(
            file, addresses: [LoopbackService.url], cryptography: LibraryCryptography(),
            signIn: signIn ? try FakeProvider.settings(changes) : nil, report: { _ in })
        try administer("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        try importPolicy([])
        try administer("policy.assign", ["policy": "strict", "allUsers": true])
        try administer("policy.target", ["policy": "strict", "app": "notes"])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @discardableResult
    func administer(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
        try service.administer(
            .object([("action", .string(action))] + keys.map { ($0.key, $0.value) }), now: serviceTime)
    }

    func importPolicy(_ settings: [JSON.Member]) throws {
        let document: [JSON.Member] = [
            ("@odata.type", "#microsoft.graph.iosManagedAppProtection"), ("id", "strict"), ("displayName", "Strict"),
        ]
        try administer("policy.import", ["document": .object(document + settings)])
    }

    func invitation() throws -> SecretBytes {
        let code = Array(try service.invite(user: "ann-id", app: nil, now: serviceTime).utf8)
        return try SecretBytes(count: code.count) { $0.copyBytes(from: code) }
    }

    /// A client of the service, whose settings may have its keys.
    func client(_ store: MemoryStore? = nil, knows: Bool = true) throws -> ServiceAuthority {
        guard let keys = AuthorityKeys(json: try service.settings(certificate: nil)["keys"]) else {
            throw MAMError(.internal, "the settings of the service have no keys")
        }
        let settings = ServiceSettings(url: LoopbackService.url, keys: knows ? keys : nil)
        let clock = Clock(now: { [unowned self] in clientTime }, sinceBoot: { TimeSpan(milliseconds: 0) })
        return ServiceAuthority(
            settings, transport: self, store: store ?? MemoryStore(), clock: clock, libraryVersion: "1.0")
    }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        guard !request.url.hasPrefix(FakeProvider.issuer) else { return try provider.exchange(request) }
        let request = swap?(request) ?? request
        var sentOn = ServiceRequest(
            method: request.method, path: String(request.url.dropFirst("https://mam.example.org".count)),
            host: "mam.example.org", fields: request.fields, body: request.body)
        sentOn.token = sentOn.accessToken
        let reply = turns.withLock { _ in
            requests.append(request)
            return service.reply(to: sentOn, now: serviceTime)
        }
        let sent = TransportReply(status: reply.status, fields: reply.fields, body: reply.body)
        return try tamper?(request, sent) ?? sent
    }
}

/// A state's record of a service.
final class MemoryStore: ServiceRecordStore {
    private let kept = Locked(ServiceRecord())

    func record() -> ServiceRecord { kept.withLock { ServiceRecord(json: $0.json) } }
    func change(_ body: (inout ServiceRecord) -> Void) { kept.withLock { body(&$0) } }
}

/// The requests of an app.
struct TestApp {
    let authority: ServiceAuthority
    let app = AppFacts(id: "notes", version: "1.0")
    var host = HostFacts(
        deviceTag: "laptop", platform: "linux", platformVersion: "12", model: nil, libraryVersion: "1.0",
        stateCounter: 1)
    var enrollment: Enrollment?

    init(_ authority: ServiceAuthority) { self.authority = authority }

    mutating func enroll(_ token: SecretBytes?, wipeMark: Int64? = nil) throws {
        var marks = WipeMarks()
        if let wipeMark { marks.add(wipeMark, of: nil) }
        enrollment = try authority.enroll(
            AccountName(upn: "ann@contoso.example"), app: app, host: host, marks: marks, token: token, cause: .host)
    }

    func checkIn() throws(AuthorityFailure) -> CheckInReply {
        try authority.checkIn(
            "ann-id", registration: enrollment?.registration ?? "", wipeMark: enrollment?.wipeMark ?? 0, app: app,
            host: host)
    }

    func reportWipe(_ wipe: Int64?) throws {
        try authority.reportWipe(
            "ann-id", registration: enrollment?.registration ?? "", wipe: wipe, reason: .administrator, app: app,
            host: host)
    }

    @discardableResult
    func unenroll() throws -> RegistrationWipe? {
        try authority.unenroll(
            "ann-id", registration: enrollment?.registration ?? "", wipeMark: enrollment?.wipeMark ?? 0, app: app,
            host: host)
    }
}
