import MAMState
import MAMSupport
import Testing

@Suite("app configurations in the state")
struct ConfigurationTests {
    private static let red: JSON = ["id": "red", "name": "", "channel": "targeted", "values": ["color": "red"]]

    private func account(_ state: State) throws -> AccountRow {
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .open(let row)? = entries.first else { throw MAMError(.notFound, "no account that opens") }
        return row
    }

    private func load(_ state: State) throws -> [JSON] {
        let row = try account(state)
        return try state.read { (view, _) throws(MAMError) in try view.configurations.load(of: row) }
    }

    /// A state whose account received ``red``.
    private func sent(_ temporary: TemporaryState) throws -> State {
        let state = try temporary.open()
        try state.commitForAll { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            try view.configurations.store([ConfigurationTests.red], of: row)
        }
        return state
    }

    @Test("configurations are read after a reopen, and are replaced and removed as a whole")
    func comesBack() throws {
        let temporary = try TemporaryState()
        try sent(temporary).close()
        let state = try temporary.open()
        defer { state.close() }
        #expect(try load(state) == [ConfigurationTests.red])
        let row = try account(state)
        try state.commitForAll { (view) throws(MAMError) in try view.configurations.store([], of: row) }
        #expect(try load(state) == [])
        try state.commitForAll { (view) throws(MAMError) in
            try view.configurations.store([ConfigurationTests.red], of: row)
            try view.configurations.forget(of: row)
        }
        #expect(try load(state) == [])
    }

    @Test("a row that was removed or changed is missed, and the next check-in mends it")
    func tampering() throws {
        let temporary = try TemporaryState()
        let state = try sent(temporary)
        defer { state.close() }
        for sql in ["UPDATE configurations SET record = zeroblob(80)", "DELETE FROM configurations"] {
            try temporary.tamper(sql)
            #expect(throws: MAMError(.tampered, "")) { try load(state) }
            let row = try account(state)
            try state.commitForAll { (view) throws(MAMError) in
                try view.configurations.store([ConfigurationTests.red], of: row)
            }
            #expect(try load(state) == [ConfigurationTests.red])
        }
    }

    @Test("they go with their account")
    func removed() throws {
        let temporary = try TemporaryState()
        let state = try sent(temporary)
        defer { state.close() }
        let row = try account(state)
        try state.commitForAll { (view) throws(MAMError) in try view.accounts.remove(row.id) }
        let database = try Database(path: temporary.database, mode: .readOnly)
        #expect(try database.first("SELECT count(*) FROM configurations") { $0.integer(0) } == 0)
    }

    @Test("policy and configurations of one commit come together or not at all")
    func together() throws {
        let temporary = try TemporaryState()
        let state = try sent(temporary)
        defer { state.close() }
        let row = try account(state)
        #expect(throws: MAMError(.canceled, "")) {
            try state.commitForAll { (view) throws(MAMError) in
                try view.policies.store([SignedDocument(id: "a", document: [:])], of: row)
                try view.configurations.store([], of: row)
                throw MAMError(.canceled, "")
            }
        }
        #expect(try load(state) == [ConfigurationTests.red])
        #expect(try state.read { (view, _) throws(MAMError) in try view.policies.load(of: row)?.count } == nil)
    }

    @Test("a configuration that could not be read again is refused")
    func tooLarge() throws {
        let temporary = try TemporaryState()
        let state = try sent(temporary)
        defer { state.close() }
        let row = try account(state)
        let large = JSON.string(String(repeating: "x", count: 64 << 20))
        #expect(throws: MAMError(.argument, "")) {
            try state.commitForAll { (view) throws(MAMError) in try view.configurations.store([large], of: row) }
        }
        #expect(try load(state) == [ConfigurationTests.red])
    }
}
