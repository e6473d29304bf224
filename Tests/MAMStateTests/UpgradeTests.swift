import MAMState
import MAMSupport
import Testing

@Suite("states of older releases")
struct UpgradeTests {
    /// What later versions add is taken out again: what remains is what version 1 made, which ``version1`` shows.
    private static let downgrade =
        """
        DROP TABLE configurations; DROP TABLE facts; DROP TABLE pins; DROP TABLE directories; DROP TABLE files;
        DROP TABLE exchange_keys; DELETE FROM meta WHERE name = 'standing';
        INSERT INTO meta VALUES ('deviceTag', 'a1b2'), ('generation', 7); PRAGMA user_version = 1
        """

    /// The tables of the first release: never to be changed.
    private static let version1 = [
        "account_keys(account,epoch,key_id,wrapped)", "accounts(number,id,app,record,tag)",
        "journal(number,id,app,account,record)", "keys(name,wrapped)", "meta(name,value)",
        "outcomes(number,id,app,record)", "overrides(app,name,value)", "policies(account,record)",
    ]

    private func tables(_ place: TemporaryState) throws -> [String] {
        try Database(path: place.database, mode: .readOnly).all(
            """
            SELECT m.name || '(' || (SELECT group_concat(name) FROM pragma_table_info(m.name)) || ')'
            FROM sqlite_schema m WHERE type = 'table' ORDER BY m.name
            """
        ) { $0.text(0) ?? "" }
    }

    private func version(_ place: TemporaryState) throws -> Int64? {
        try Database(path: place.database, mode: .readOnly).first("PRAGMA user_version") { $0.integer(0) }
    }

    /// A state as version 1 made it, with an account and its policy.
    private func old() throws -> TemporaryState {
        let place = try TemporaryState()
        let state = try place.open()
        try state.publish { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            try view.policies.store([SentDocument(id: "strict", document: ["id": "strict"])], of: row)
        }
        state.close()
        try place.tamper(UpgradeTests.downgrade)
        #expect(try tables(place) == UpgradeTests.version1)
        return place
    }

    @Test("an old state keeps what it says, and takes configurations")
    func upgrade() throws {
        let place = try old()
        let state = try place.open()
        defer { state.close() }
        #expect(state.reported.deviceTag == "a1b2" && state.reported.counter == 7 && !state.isOlder)
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .open(let row)? = entries.first else { throw MAMError(.notFound, "no account that opens") }
        let (policies, none) = try state.read { (view, _) throws(MAMError) in
            (try view.policies.load(of: row), try view.configurations.load(of: row))
        }
        #expect(policies?.map(\.id) == ["strict"] && none == [])
        try state.publish { (view) throws(MAMError) in try view.configurations.store([["id": "red"]], of: row) }
        let sent = try state.read { (view, _) throws(MAMError) in try view.configurations.load(of: row) }
        #expect(sent == [["id": "red"]])
    }

    @Test("an upgraded state has the tables of a new one")
    func sameTables() throws {
        let place = try old()
        try place.open().close()
        let new = try TemporaryState()
        try new.open().close()
        #expect(try tables(place) == tables(new))
        #expect(try version(place) == version(new))
    }

    @Test("an old state that cannot be opened is left as it is")
    func notOpened() throws {
        let place = try old()
        try place.tamper("UPDATE meta SET value = zeroblob(32) WHERE name = 'rootKey'")
        #expect(throws: MAMError(.keyUnavailable, "")) { try place.open() }
        #expect(try version(place) == 1)
        #expect(try tables(place) == UpgradeTests.version1)
    }
}
