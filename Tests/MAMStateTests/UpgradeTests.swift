import MAMState
import MAMSupport
import Testing

@Suite("states of older releases")
struct UpgradeTests {
    /// Statements that undo all migrations after version 1; the result must equal ``version1``.
    private static let downgrade =
        """
        DROP TABLE configurations; DROP TABLE facts; DROP TABLE pins; DROP TABLE directories; DROP TABLE files;
        DROP TABLE exchange_keys; DROP TABLE refresh_tokens; DROP TABLE revocations; DELETE FROM meta WHERE name = 'standing';
        INSERT INTO meta VALUES ('deviceTag', 'a1b2'), ('generation', 7); PRAGMA user_version = 1
        """

    /// The tables of the first release. They never change.
    private static let version1 = [
        "account_keys(account,epoch,key_id,wrapped)", "accounts(number,id,app,record,tag)",
        "journal(number,id,app,account,record)", "keys(name,wrapped)", "meta(name,value)",
        "outcomes(number,id,app,record)", "overrides(app,name,value)", "policies(account,record)",
    ]

    private func tables(_ temporary: TemporaryState) throws -> [String] {
        try Database(path: temporary.database, mode: .readOnly).all(
            """
            SELECT m.name || '(' || (SELECT group_concat(name) FROM pragma_table_info(m.name)) || ')'
            FROM sqlite_schema m WHERE type = 'table' ORDER BY m.name
            """
        ) { $0.text(0) ?? "" }
    }

    private func version(_ temporary: TemporaryState) throws -> Int64? {
        try Database(path: temporary.database, mode: .readOnly).first("PRAGMA user_version") { $0.integer(0) }
    }

    /// A state of version 1 with an account and its policy.
    private func old() throws -> TemporaryState {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        try state.commitForAll { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            try view.policies.store([SignedDocument(id: "strict", document: ["id": "strict"])], of: row)
        }
        state.close()
        try temporary.tamper(UpgradeTests.downgrade)
        #expect(try tables(temporary) == UpgradeTests.version1)
        return temporary
    }

    @Test("an old state keeps its contents, and stores configurations")
    func upgrade() throws {
        let temporary = try old()
        let state = try temporary.open()
        defer { state.close() }
        #expect(state.reported.deviceTag == "a1b2" && state.reported.counter == 7 && !state.isRolledBack)
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .open(let row)? = entries.first else { throw MAMError(.notFound, "no account that opens") }
        let (policies, none) = try state.read { (view, _) throws(MAMError) in
            (try view.policies.load(of: row), try view.configurations.load(of: row))
        }
        #expect(policies?.map(\.id) == ["strict"] && none == [])
        try state.commitForAll { (view) throws(MAMError) in try view.configurations.store([["id": "red"]], of: row) }
        let sent = try state.read { (view, _) throws(MAMError) in try view.configurations.load(of: row) }
        #expect(sent == [["id": "red"]])
    }

    @Test("an upgraded state has the tables of a new one")
    func sameTables() throws {
        let temporary = try old()
        try temporary.open().close()
        let new = try TemporaryState()
        try new.open().close()
        #expect(try tables(temporary) == tables(new))
        #expect(try version(temporary) == version(new))
    }

    @Test("an old state that cannot be opened is left as it is")
    func notOpened() throws {
        let temporary = try old()
        try temporary.tamper("UPDATE meta SET value = zeroblob(32) WHERE name = 'rootKey'")
        #expect(throws: MAMError(.keyUnavailable, "")) { try temporary.open() }
        #expect(try version(temporary) == 1)
        #expect(try tables(temporary) == UpgradeTests.version1)
    }
}
