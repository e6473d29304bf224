import MAMProtection
import MAMSupport

/// A table that the authority signs, and the byte form of its rows.
enum SignedTable: String, CaseIterable {
    case authority, users, groups = "user_groups", imports, policies, configurationImports = "configuration_imports"
    case configurations, wipes, formerNames = "former_names", revision

    /// Rows of other tables that are signed with the row that they belong to.
    private struct RelatedRows {
        /// The signed columns and the FROM clause.
        let source: String
        let columns: Int32
        let order: String
        /// The column that refers to the owning row; nil where the table has only one.
        var owner: String?
    }

    /// The signed columns after the row number.
    private var columns: String {
        switch self {
        case .authority: "name, tenant, interval"
        case .users:
            "account_id, account_key, upn, upn_key, tenant, display_name, enabled, licensed, migrating, token_hash"
        case .groups: "id, id_key, name, name_key"
        case .imports: "id, id_key, policies, document"
        case .configurationImports: "id, id_key, configurations, document"
        case .policies, .configurations: "id, id_key, import_row, is_default, all_users, all_apps"
        case .wipes: "account_id, account_key, upn, app, device_tag, requested"
        case .formerNames: "name_key, account_id"
        case .revision: "number, marks"
        }
    }

    private var rowName: String {
        switch self {
        case .authority, .revision: "one"
        case .wipes: "id"
        default: "row"
        }
    }

    private var lists: [RelatedRows] {
        switch self {
        case .authority:
            [
                RelatedRows(source: "domain FROM domains", columns: 1, order: "row"),
                RelatedRows(source: "device_tag FROM blocked_devices", columns: 1, order: "device_tag"),
                RelatedRows(source: "seq FROM sqlite_sequence WHERE name = 'wipes'", columns: 1, order: "1"),
            ]
        case .users:
            [
                RelatedRows(
                    source: "g.id_key FROM members m LEFT JOIN user_groups g ON g.row = m.group_row", columns: 1,
                    order: "g.id_key", owner: "m.user_row")
            ]
        case .policies: SignedTable.reach("policy_row", "assignments", "targets")
        case .configurations:
            SignedTable.reach("configuration_row", "configuration_assignments", "configuration_targets")
        case .groups, .imports, .configurationImports, .wipes, .formerNames, .revision: []
        }
    }

    private static func reach(_ owner: String, _ assignments: String, _ targets: String) -> [RelatedRows] {
        [
            RelatedRows(
                source: "is_exclusion, group_id, group_key FROM \(assignments)", columns: 3,
                order: "is_exclusion, group_key", owner: owner),
            RelatedRows(
                source: "a.id FROM \(targets) t LEFT JOIN apps a ON a.row = t.app_row", columns: 1, order: "a.id",
                owner: "t.\(owner)"),
        ]
    }

    /// Whether rows hold documents. Those have their own signatures, which are delivered with them.
    var holdsDocuments: Bool { self == .policies || self == .configurations }

    /// The SHA-256 of each row, or of one row.
    func digests(_ store: Store, _ authority: String, of one: Int64? = nil) throws(MAMError) -> [Int64: [UInt8]] {
        var messages: [Int64: SignedMessage] = [:]
        let values: [SQLValue] = one.map { [.integer($0)] } ?? []
        let count = Int32(columns.split(separator: ",").count)
        try store.database.query(
            "SELECT \(rowName), \(columns) FROM \(rawValue)\(one == nil ? "" : " WHERE \(rowName) = ?1")", values
        ) { row in
            var message = SignedMessage("libmam authority row 1", authority)
            message.add(rawValue)
            for column in 0...count { message.add(row, column) }
            messages[row.integer(0)] = message
        }
        guard !messages.isEmpty else { return [:] }
        if holdsDocuments {
            for (row, content, signature) in try store.documentSignatures(self) {
                messages[row]?.add(content)
                messages[row]?.add(signature)
            }
        }
        for list in lists { try add(list, to: &messages, store, of: one) }
        return messages.mapValues { sha256($0.bytes) }
    }

    private func add(
        _ list: RelatedRows, to messages: inout [Int64: SignedMessage], _ store: Store, of one: Int64?
    ) throws(MAMError) {
        var items: [Int64: (count: Int, message: SignedMessage)] = [:]
        let isOne = one != nil && list.owner != nil
        let condition = isOne ? list.owner.map { " WHERE \($0) = ?1" } ?? "" : ""
        try store.database.query(
            "SELECT \(list.owner ?? "1"), \(list.source)\(condition) ORDER BY \(list.order)",
            isOne ? one.map { [.integer($0)] } ?? [] : []
        ) { row in
            // In place: a copy of the message would be made for each row.
            items[row.integer(0), default: (0, SignedMessage())].count += 1
            for column in 1...list.columns {
                items[row.integer(0), default: (0, SignedMessage())].message.add(row, column)
            }
        }
        // While the dictionary's own keys are visited, each change would copy it.
        for row in Array(messages.keys) {
            let (count, message) = items[row] ?? (0, SignedMessage())
            messages[row]?.addList(count)
            messages[row]?.append(message)
        }
    }
}

extension Store {
    /// The digests and signatures of a table's documents, by row.
    func documentSignatures(
        _ table: SignedTable
    ) throws(MAMError) -> [(row: Int64, content: [UInt8], signature: [UInt8])] {
        try database.all("SELECT row, content, signature FROM signatures WHERE of = ?", .text(table.rawValue)) {
            ($0.integer(0), $0.blob(1), $0.blob(2))
        }
    }

    /// The signed bytes of a document: its id and text.
    static func documentMessage(_ table: SignedTable, id: String, text: String, _ authority: String) -> [UInt8] {
        var message = SignedMessage("libmam authority document 1", authority)
        message.add(table.rawValue)
        message.add(id)
        message.add(text)
        return message.bytes
    }

    /// The recorded digests by table and row, and the bytes that the signature over all of them covers.
    func signedDigests(_ authority: String) throws(MAMError) -> (
        rows: [SignedTable: [Int64: [UInt8]]], message: [UInt8]
    ) {
        var rows: [SignedTable: [Int64: [UInt8]]] = [:]
        var message = SignedMessage("libmam authority catalogue 1", authority)
        try database.query(
            """
            SELECT of, row, digest FROM signatures WHERE of NOT IN ('', 'exchange_keys', 'ended_registrations')
            ORDER BY of, row
            """
        ) {
            for column in Int32(0)...2 { message.add($0, column) }
            guard let table = SignedTable(rawValue: $0.text(0) ?? "") else { return }
            rows[table, default: [:]][$0.integer(1)] = $0.blob(2)
        }
        return (rows, message.bytes)
    }
}
