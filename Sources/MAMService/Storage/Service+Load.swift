import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// A registration that a load is played with.
public struct LoadedRegistration: Sendable {
    /// The names of user, app, device and registration.
    public let user: String, accountId: String, app: String, deviceTag: String, registration: String
    /// The public key as in SEC 1, and the one to which exchange keys are sealed.
    public let key: [UInt8], sealKey: [UInt8]

    /// A registration with these names and keys.
    public init(
        user: String, accountId: String, app: String, deviceTag: String, registration: String, key: [UInt8],
        sealKey: [UInt8]
    ) {
        (self.user, self.accountId, self.app, self.deviceTag) = (user, accountId, app, deviceTag)
        (self.registration, self.key, self.sealKey) = (registration, key, sealKey)
    }
}

/// The rows that a load needs in a database that has nothing else: its policy, and registrations as enrollments leave them, without their
/// requests.
extension Service {
    private static let domain = "@mam.invalid"
    /// The rows of a statement, and of a transaction.
    private static let rows = 50, batch = 5000

    /// Make the policy of the simulated computers' app. Fails with `.denied` where there are users of another kind: a load
    /// is for a service of its own.
    public func prepareForLoad(now: Instant) throws(MAMError) {
        let others = try files.store.database.first(
            "SELECT count(*) FROM users WHERE upn NOT LIKE ?", .text("%" + Service.domain)
        ) { $0.integer(0) }
        guard others == 0 else {
            throw MAMError(
                .denied, "\(files.place.path): has users of its own; a load is for a service without them",
                [("path", .string(files.place.path))])
        }
        let isThere = try files.store.database.first("SELECT 1 FROM policies WHERE id = 'load'") { _ in true }
        guard isThere == nil else { return }
        let policy: JSON = [
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "load", "displayName": "Load",
            "pinRequired": true, "minimumPinLength": 6,
        ]
        for request: JSON in [
            ["action": "policy.import", "document": policy],
            ["action": "policy.assign", "policy": "load", "allUsers": true],
            ["action": "policy.target", "policy": "load", "app": "load"],
        ] { _ = try administer(request, now: now) }
    }

    /// Write registrations and their users into the database, numbered from 0. Fails where they are there already; then those of
    /// earlier transactions stay.
    public func addRegistrations(
        _ count: Int, now: Instant, of registration: (Int) throws(MAMError) -> LoadedRegistration
    ) throws(MAMError) {
        try inBatches(count, of: registration) { (added) throws(MAMError) in try add(added, now) }
    }

    /// Add the users of computers that enroll by themselves, those that are not there yet.
    public func addUsers(
        _ count: Int, now: Instant, of registration: (Int) throws(MAMError) -> LoadedRegistration
    ) throws(MAMError) {
        try inBatches(count, of: registration) { (added) throws(MAMError) in _ = try add(users: added, now) }
    }

    /// Pass registrations, numbered from 0, to `store`, those of a batch in one transaction.
    private func inBatches(
        _ count: Int, of registration: (Int) throws(MAMError) -> LoadedRegistration,
        _ store: ([LoadedRegistration]) throws(MAMError) -> Void
    ) throws(MAMError) {
        for start in stride(from: 0, to: count, by: Service.batch) {
            var added: [LoadedRegistration] = []
            for number in start..<min(start + Service.batch, count) { added.append(try registration(number)) }
            try files.store.database.transaction { () throws(MAMError) in try store(added) }
        }
    }

    private func add(_ added: [LoadedRegistration], _ now: Instant) throws(MAMError) {
        let store = files.store
        try store.raiseSequence(by: Int64(added.count))
        let mark = try store.sequence()
        let users = try add(users: added, now)
        let app = try store.appRow(added[0].app)
        let time = SQLValue.integer(now.milliseconds)
        try insert("registrants", Service.registrantColumns, added) { one in
            [
                .text(one.registration), .text(JSONWebKey.thumbprint(p256: one.key)), .blob(one.key),
                .blob(one.sealKey),
                .text(one.accountId), .blob(Identity.fold(one.accountId)), .text(one.app), .text(one.deviceTag),
                .integer(mark), .integer(1), time,
            ]
        }
        try insert("registrations", Service.registrationColumns, added) { one in
            [
                .text(one.registration), .integer(users[one.accountId] ?? 0), .integer(app), .text(one.deviceTag),
                .text("1.0"), .text("linux"), .text("12"), .text("1.0"), time, .integer(1), .integer(mark),
            ]
        }
        try insert("generations", ["device_tag", "generation", "head"], added) { one in
            [.text(one.deviceTag), .integer(1), .text("head")]
        }
    }

    private static let registrantColumns = [
        "registration", "thumbprint", "key", "seal_key", "account_id", "account_key", "app", "device_tag", "wipe_mark",
        "exchange_mark", "begun",
    ]
    private static let registrationColumns = [
        "id", "user_row", "app_row", "device_tag", "app_version", "platform", "platform_version", "library_version",
        "created", "generation", "wipe_mark",
    ]

    /// Add the users that are not there yet; returns the rows of all.
    private func add(users added: [LoadedRegistration], _ now: Instant) throws(MAMError) -> [String: Int64] {
        var persons: [String: LoadedRegistration] = [:]
        for one in added { persons[one.accountId] = one }
        let all = persons.values.sorted { $0.accountId < $1.accountId }
        let known = try rows(of: all)
        let new = all.filter { known[$0.accountId] == nil }
        try insert("users", ["account_id", "account_key", "upn", "upn_key", "tenant", "enabled", "licensed"], new) {
            one in
            [
                .text(one.accountId), .blob(Identity.fold(one.accountId)), .text(one.user),
                .blob(Identity.fold(one.user)), .text(tenant), .bool(true), .bool(true),
            ]
        }
        for one in new { try files.store.rotateExchangeKey(accountKey: Identity.fold(one.accountId)) }
        return try rows(of: new).merging(known) { $1 }
    }

    /// The rows of users, by account id.
    private func rows(of persons: [LoadedRegistration]) throws(MAMError) -> [String: Int64] {
        var rows: [String: Int64] = [:]
        for start in stride(from: 0, to: persons.count, by: Service.rows) {
            let some = persons[start..<min(start + Service.rows, persons.count)]
            let marks = some.map { _ in "?" }.joined(separator: ", ")
            try files.store.database.query(
                "SELECT account_id, row FROM users WHERE account_key IN (\(marks))",
                some.map { .blob(Identity.fold($0.accountId)) }
            ) { rows[$0.text(0) ?? ""] = $0.integer(1) }
        }
        return rows
    }

    private func insert(
        _ table: String, _ columns: [String], _ added: [LoadedRegistration], values: (LoadedRegistration) -> [SQLValue]
    ) throws(MAMError) {
        let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        for start in stride(from: 0, to: added.count, by: Service.rows) {
            let some = added[start..<min(start + Service.rows, added.count)]
            let rows = some.map { _ in row }.joined(separator: ", ")
            try files.store.database.query(
                "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(rows)", some.flatMap(values)
            ) { (_) throws(MAMError) in }
        }
    }
}
