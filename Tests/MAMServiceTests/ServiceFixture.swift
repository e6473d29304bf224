import Foundation
import MAMSupport

@testable import MAMDirectory
@testable import MAMPostgreSQL
@testable import MAMService

/// A service in a temporary directory, with ann and a policy that reaches all users in `notes`. Where MAM_TEST_POSTGRESQL has the URL of
/// a PostgreSQL database, its database is a schema of its own there.
final class ServiceFixture {
    let folder: String
    let file: ServiceFile
    let service: Service
    static let address = "https://mam.example.org/contoso"
    static let time = Instant(milliseconds: 1_795_000_000_000)
    /// The service's clock.
    var now = ServiceFixture.time

    init(signIn: SignInSettings? = nil, copies: CopyRule = .signIn) throws {
        folder = NSTemporaryDirectory() + "service-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        file = ServiceFile(
            path: folder + "/mamd.db", keyPath: folder + "/mamd.key", server: try ServiceFixture.schema())
        try file.create(tenant: "contoso", name: "Contoso", recovery: ServiceFile.newRecoveryKey())
        service = try Service(
            file, addresses: [ServiceFixture.address, "https://mam.example.net"], cryptography: TestCryptography(),
            signIn: signIn, copies: copies, report: { _ in })
        try administer("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        try administer(
            "policy.import",
            [
                "document": [
                    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "strict", "displayName": "Strict",
                ]
            ])
        try administer("policy.assign", ["policy": "strict", "allUsers": true])
        try administer("policy.target", ["policy": "strict", "app": "notes"])
    }

    private static func schema() throws -> PostgreSQLTarget? {
        guard let url = ProcessInfo.processInfo.environment["MAM_TEST_POSTGRESQL"] else { return nil }
        let name = "mamd_" + UUID().uuidString.replacing("-", with: "").lowercased()
        try PostgreSQLDatabase(PostgreSQLTarget(url)).execute("CREATE SCHEMA \(name)")
        return try PostgreSQLTarget(url + "&options=-csearch_path%3D\(name)")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var store: Store { service.files.store }

    /// The reply to a check-in from facts that are read with others'; nil where it is answered in the ordinary way.
    func gatheredReply(to request: ServiceRequest) throws -> ServiceReply? {
        guard let registration = service.checkIns.registration(of: request),
            let facts = try CheckInReader(file).facts(of: [registration, "r-unknown"])[registration]
        else { return nil }
        return service.checkIns.reply(to: request, facts, now: now)
    }

    @discardableResult
    func administer(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
        try service.administer(.object([("action", .string(action))] + keys.map { ($0.key, $0.value) }), now: now)
    }

    func invite(_ user: String = "ann-id", app: String? = nil) throws -> String {
        try service.invite(user: user, app: app, now: now)
    }
}
