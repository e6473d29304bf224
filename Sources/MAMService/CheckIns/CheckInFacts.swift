import CProcess
import MAMDirectory
import MAMPostgreSQL
import MAMSupport

/// A registration to which nothing applies but its policies: no wipe, block or end, and its user is served. It is read with others.
public struct CheckInFacts: Sendable {
    let registration: String
    /// The public key as in SEC 1.
    let key: [UInt8]
    let deviceTag: String
    let row: Int64
    let lastSync: Instant?
    /// The facts of its latest check-in.
    let app: AppFacts
    let platform, platformVersion, libraryVersion: String
    let model: String?
    let recordedGeneration: Int64
    /// The newest state of its device.
    let generation: Int64
    let head: String
    let person: DeliveredPerson
    /// The rows of its user's groups in their order, with commas.
    let groups: String
    let signedIn, revoked: Instant?
    let exchangeEpoch: Int64
    /// The numbers of the latest change, and of the latest one by an administrator.
    let sequence, administrative: Int64

    private init(_ row: any SQLRow) {
        func text(_ column: Int32) -> String { row.text(column) ?? "" }
        func time(_ column: Int32) -> Instant? {
            row.isNull(column) ? nil : Instant(milliseconds: row.integer(column))
        }
        (registration, key, deviceTag) = (text(0), row.blob(1), text(2))
        (self.row, lastSync, app) = (row.integer(3), time(4), AppFacts(id: text(5), version: row.text(6)))
        (platform, platformVersion, libraryVersion, model) = (text(7), text(8), text(9), row.text(10))
        (recordedGeneration, generation, head) = (row.integer(11), row.integer(12), text(13))
        person = DeliveredPerson(upn: text(14), tenantId: text(15), isEnabled: row.bool(16))
        (groups, signedIn, revoked) = (CheckInFacts.sorted(text(17)), time(18), time(19))
        (exchangeEpoch, sequence, administrative) = (row.integer(20), row.integer(21), row.integer(22))
    }

    /// Sorted here, since a node of the plan that sorts costs as much as a step in an index.
    static func sorted(_ rows: String) -> String {
        guard rows.utf8.contains(UInt8(ascii: ",")) else { return rows }
        return rows.split(separator: ",").compactMap { Int64($0) }.sorted().map(String.init).joined(separator: ",")
    }

    /// Whether a request brings the facts that are recorded.
    func areOf(_ app: AppFacts, _ host: HostFacts) -> Bool {
        app.id == self.app.id && app.version == self.app.version && host.platform == platform
            && host.platformVersion == platformVersion && host.libraryVersion == libraryVersion && host.model == model
            && host.stateCounter == recordedGeneration
    }

    /// The numbers of a user's groups as one text, in each database's words.
    private static let groups = (
        server: "array_to_string(ARRAY(SELECT group_row FROM members WHERE user_row = u.row), ',')",
        file: "(SELECT group_concat(group_row, ',') FROM members WHERE user_row = u.row)"
    )
    private static let serverQuery = query(of: "= ANY(?1)", groups: groups.server)
    private static let fileQuery = query(of: "= ?1", groups: groups.file)

    /// Each row of it costs one step in an index for each table.
    private static func query(of registration: String, groups: String) -> String {
        """
        SELECT i.registration, i.key, i.device_tag, r.row, r.last_sync, i.app, r.app_version, r.platform,
            r.platform_version, r.library_version, r.model, r.generation, g.generation, g.head,
            u.upn, u.tenant, u.enabled,
            \(groups),
            (SELECT s.at FROM sign_ins s WHERE s.registration = i.registration),
            (SELECT v.at FROM revocations v WHERE v.account_key = i.account_key),
            (SELECT e.epoch FROM exchange_keys e WHERE e.account_key = i.account_key ORDER BY e.epoch DESC LIMIT 1),
            (SELECT q.number FROM sequence q), (SELECT q.administrative FROM sequence q)
        FROM registrants i JOIN registrations r ON r.id = i.registration JOIN users u ON u.row = r.user_row
            LEFT JOIN generations g ON g.device_tag = i.device_tag
        WHERE i.registration \(registration) AND i."end" IS NULL
            AND u.account_key = i.account_key AND u.licensed = 1 AND u.migrating = 0
            AND NOT EXISTS (SELECT 1 FROM wipes w WHERE w.account_key = i.account_key AND w.id > i.wipe_mark
                AND (w.app IS NULL OR w.app = i.app) AND (w.device_tag IS NULL OR w.device_tag = i.device_tag))
            AND NOT EXISTS (SELECT 1 FROM blocked_devices b WHERE b.device_tag = i.device_tag)
        """
    }

    /// For lists that are not shorter than the one it assumes, the server finds that it need not plan anew each time.
    private static let shortest = 10

    /// Read the facts of registrations. One that is missing is asked for in the ordinary way.
    static func read(
        _ registrations: [String], _ database: any SQLDatabase
    ) throws(MAMError) -> [String: CheckInFacts] {
        var found: [String: CheckInFacts] = [:]
        func keep(_ row: any SQLRow) {
            let facts = CheckInFacts(row)
            found[facts.registration] = facts
        }
        if let server = database as? PostgreSQLDatabase {
            let missing = max(0, CheckInFacts.shortest - registrations.count)
            try server.queryPrepared(serverQuery, .texts(registrations + Array(repeating: "", count: missing))) {
                keep($0)
            }
        } else {
            try database.snapshot { () throws(MAMError) in
                for registration in registrations { try database.query(fileQuery, [.text(registration)]) { keep($0) } }
            }
        }
        return found
    }
}

/// Reads the facts of check-ins on a connection of its own, which is opened when it is needed, for one thread at a time. A replica has the
/// first word: what is older there than the client, or the latest change that this process knows, is asked for in the ordinary way.
public final class CheckInReader {
    private let file: ServiceFile
    private let readers: Int64
    private var database: (any SQLDatabase)?
    private var replica: PostgreSQLDatabase?
    /// The time from which a replica that failed is asked again.
    private var replicaDue: Int64 = 0
    private static let patience: Int64 = 60_000

    /// The memory for pages of the SQLite database, in KiB, for all readers together, and the least for one, which is SQLite's own: with
    /// that, each check-in of ten thousand read pages anew.
    private static let cache = (all: Int64(16_384), least: Int64(2048))

    /// One of several readers of a service's database.
    public init(_ file: ServiceFile, of readers: Int = 1) { (self.file, self.readers) = (file, Int64(max(1, readers))) }

    /// Open the database now, for a thread that must not wait for it later.
    public func open() throws(MAMError) { _ = try opened() }

    /// Read the facts of registrations, by their ids.
    public func facts(of registrations: [String]) throws(MAMError) -> [String: CheckInFacts] {
        if let target = file.replica, process_clock_monotonic_ms() >= replicaDue {
            do throws(MAMError) {
                return try CheckInFacts.read(registrations, opened(target))
            } catch { replicaDue = process_clock_monotonic_ms() + CheckInReader.patience }
        }
        return try CheckInFacts.read(registrations, opened())
    }

    private func opened(_ target: PostgreSQLTarget) throws(MAMError) -> PostgreSQLDatabase {
        if let replica { return replica }
        let opened = try PostgreSQLDatabase(target)
        replica = opened
        return opened
    }

    private func opened() throws(MAMError) -> any SQLDatabase {
        if let database { return database }
        let opened: any SQLDatabase
        if let server = file.server {
            opened = try PostgreSQLDatabase(server)
        } else {
            let file = try file.openFile()
            try file.set("cache_size", to: -max(CheckInReader.cache.least, CheckInReader.cache.all / readers))
            // A lock that another process holds is a failure: nobody waits here.
            try file.set("busy_timeout", to: 0)
            opened = file
        }
        database = opened
        return opened
    }
}
