import Foundation
import MAMPolicy
import MAMSupport

@testable import MAMAuthority
@testable import MAMDirectory

/// An authority in a temporary directory, with calls of an administrator.
final class AuthorityFixture {
    let folder: String
    let path: String

    /// Adds `ann` and a policy that reaches all users in `notes`.
    init(empty: Bool = false) throws {
        folder = NSTemporaryDirectory() + "authority-\(UUID().uuidString)"
        path = folder + "/authority.db"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try perform("authority.create", ["name": "Contoso", "tenantId": "t-1"])
        guard !empty else { return }
        try perform("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        try perform("policy.import", ["document": AuthorityFixture.policy(id: "strict")])
        try perform("policy.assign", ["policy": "strict", "allUsers": true])
        try perform("policy.target", ["policy": "strict", "app": "notes"])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Tests may run as root, who can write everything, so the rights are simulated.
    static let readOnly = UserFileRights(user: { 4_000_000_000 }, isWritable: { _ in false })

    var readOnlyFile: AuthorityFile { AuthorityFile(path: path, access: AuthorityFixture.readOnly) }

    @discardableResult
    func perform(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
        try Administration.perform(
            path: path, request: AuthorityFixture.request(action, keys), now: AuthorityFixture.time)
    }

    /// Make the file one that a release before the count of changes signed: version 7, or 6 without former UPNs.
    func downgrade(to version: Int) throws {
        let database = try Database(path: path, mode: .readWrite)
        try database.execute("DELETE FROM revision; DELETE FROM signatures WHERE of = 'revision'")
        let store = try AuthorityFile(path: path).open()
        try store.database.transaction { () throws(MAMError) in
            if let file = store.keyFile { try Signer(store, file)?.sign() }
        }
        let former = version < 7 ? "DROP TABLE former_names;" : ""
        try database.execute("\(former) DROP TABLE revision; PRAGMA user_version = \(version)")
    }

    /// Perform a whole request.
    @discardableResult
    func perform(_ request: JSON) throws -> JSON {
        try Administration.perform(path: path, request: request, now: AuthorityFixture.time)
    }

    /// The error of an action; nil where it succeeds.
    func refusal(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> MAMError? {
        do { try perform(action, keys) } catch let error as MAMError { return error }
        return nil
    }

    static func request(_ action: String, _ keys: KeyValuePairs<String, JSON>) -> JSON {
        .object([("action", .string(action))] + keys.map { ($0.key, $0.value) })
    }

    static let time = Instant(milliseconds: 1_795_000_000_000)

    static func policy(id: String, type: String = "iosManagedAppProtection") -> JSON {
        [
            "@odata.type": .string("#microsoft.graph.\(type)"), "id": .string(id),
            "displayName": .string(id.uppercased()),
        ]
    }

    static func configuration(id: String, _ settings: KeyValuePairs<String, String>) -> JSON {
        [
            "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": .string(id),
            "displayName": .string(id.uppercased()),
            "customSettings": .array(settings.map { ["name": .string($0.key), "value": .string($0.value)] }),
        ]
    }

    func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// An app of a user on a computer; makes the requests of a session.
struct App: Sendable {
    let authority: EmbeddedAuthority
    let app: String
    let device: String

    init(
        _ fixture: AuthorityFixture, app: String = "notes", device: String = "laptop", readOnly: Bool = false,
        path: String? = nil
    ) {
        let file = readOnly ? fixture.readOnlyFile : AuthorityFile(path: path ?? fixture.path)
        authority = EmbeddedAuthority(file: file, now: { AuthorityFixture.time })
        self.app = app
        self.device = device
    }

    /// Uses a given file and clock.
    init(file: AuthorityFile, now: @escaping @Sendable () -> Instant) {
        authority = EmbeddedAuthority(file: file, now: now)
        (app, device) = ("notes", "laptop")
    }

    private var facts: AppFacts { AppFacts(id: app, version: "1.0") }
    private var host: HostFacts {
        HostFacts(
            deviceTag: device, platform: "linux", platformVersion: "12", model: nil, libraryVersion: "0.1.0",
            stateCounter: 7)
    }

    func enroll(
        _ upn: String? = "ann@contoso.example", id: String? = nil, tenant: String? = nil, token: String? = nil
    ) throws -> Enrollment {
        let secret = try token.map { token in
            try Array(token.utf8).withUnsafeBytes { try SecretBytes(copying: $0) }
        }
        return try authority.enroll(
            AccountName(accountId: id, upn: upn, tenantId: tenant), app: facts, host: host, token: secret)
    }

    func checkIn(_ enrollment: Enrollment) throws -> CheckInReply {
        try authority.checkIn(
            enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark, app: facts,
            host: host)
    }

    func exchangeKeys(_ enrollment: Enrollment, from epoch: Int64 = 0) throws -> [ExchangeKey] {
        try authority.exchangeKeys(
            enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark, from: epoch,
            app: facts, host: host)
    }

    @discardableResult
    func unenroll(_ enrollment: Enrollment) throws -> RegistrationWipe? {
        try authority.unenroll(
            enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark, app: facts,
            host: host)
    }

    func report(_ enrollment: Enrollment, wipe: Int64?) throws {
        try authority.reportWipe(
            enrollment.accountId, registration: enrollment.registration, wipe: wipe, app: facts, host: host)
    }
}

/// The failure of a call to an authority; nil where it succeeds.
func failure(_ body: () throws -> some Any) throws -> AuthorityFailure? {
    do { _ = try body() } catch let failure as AuthorityFailure { return failure }
    return nil
}
