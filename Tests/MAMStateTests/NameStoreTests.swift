import MAMPolicy
import MAMState
import MAMSupport
import Testing

@Suite("NameStore")
struct NameStoreTests {
    static func names(_ state: State) throws -> AccountNames {
        try state.read { (view, _) throws(MAMError) in try view.names.load() }
    }

    static func change(_ state: State, _ body: (NameStore) throws(MAMError) -> Void) throws {
        try state.write { (view) throws(MAMError) in try body(view.names) }
    }

    @Test("a retired name stays retired in any case, for its app alone, until it is restored")
    func retiring() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        try Self.change(state) { (names) throws(MAMError) in try names.retire(["Ann@contoso.example", "ann-id"], nil) }
        state.close()
        let (again, other) = (try temporary.open(), try temporary.open(app: "com.example.other"))
        defer {
            again.close()
            other.close()
        }
        for name in ["ann@contoso.example", "ANN@CONTOSO.EXAMPLE", "Ann-ID"] {
            #expect(try Self.names(again).isRetired(Identity.fold(name)))
            #expect(try !Self.names(other).isRetired(Identity.fold(name)))
        }
        #expect(try !Self.names(again).isRetired(Identity.fold("bob@contoso.example")))
        try Self.change(again) { (names) throws(MAMError) in try names.restore(["ANN-id"]) }
        #expect(try !Self.names(again).isRetired(Identity.fold("ann-id")))
        #expect(try Self.names(again).isRetired(Identity.fold("ann@contoso.example")))
    }

    @Test("no retired name is in the database in the clear, or sealed")
    func hashed() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try Self.change(state) { (names) throws(MAMError) in try names.retire(["ann@contoso.example"], nil) }
        let json = try state.read { (view, _) throws(MAMError) in try view.values.value(.names)?.text ?? "" }
        #expect(!json.contains("ann") && json.contains("retired"))
    }

    @Test("a retired name keeps how its account left last, until it is restored")
    func departures() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let unenrolled = AccountDeparture(wipe: nil, time: Instant(milliseconds: 5))
        let wiped = AccountDeparture(wipe: .conditionalLaunch, time: Instant(milliseconds: 1_767_225_600_000))
        try Self.change(state) { (names) throws(MAMError) in
            try names.retire(["ann@contoso.example", "ann-id"], unenrolled)
            try names.retire(["former"], nil)
            try names.retire(["bob"], unenrolled)
            try names.retire(["Ann@contoso.example"], wiped)
        }
        func departure(_ name: String) throws -> AccountDeparture? {
            try Self.names(state).departure(Identity.fold(name))
        }
        #expect(try departure("ANN@contoso.example") == wiped)
        #expect(try departure("ann-id") == unenrolled && departure("bob") == unenrolled)
        #expect(try departure("former") == nil && Self.names(state).isRetired(Identity.fold("former")))
        try Self.change(state) { (names) throws(MAMError) in try names.restore(["bob"]) }
        #expect(try departure("bob") == nil && departure("ANN-ID") == unenrolled)
    }

    @Test("the oldest retired name is forgotten first")
    func bound() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try Self.change(state) { (names) throws(MAMError) in
            try names.retire((0..<NameStore.maximumRetired).map { "user\($0)" }, nil)
            try names.retire(["user0", "last"], nil)
        }
        let names = try Self.names(state)
        #expect(names.isRetired(Identity.fold("user0")) && names.isRetired(Identity.fold("last")))
        #expect(!names.isRetired(Identity.fold("user1")) && names.isRetired(Identity.fold("user2")))
    }

    @Test("registered names keep their order and spelling, and have a bound")
    func registering() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try Self.change(state) { (names) throws(MAMError) in
            for name in ["Desk@contoso.example", "bob@contoso.example", "desk@CONTOSO.example"] {
                #expect(try names.register(name))
            }
        }
        #expect(try Self.names(state).registered == ["Desk@contoso.example", "bob@contoso.example"])
        #expect(try Self.names(state).isRegistered(Identity.fold("DESK@contoso.example")))
        try Self.change(state) { (names) throws(MAMError) in try names.forget("desk@contoso.example") }
        #expect(try Self.names(state).registered == ["bob@contoso.example"])
        try Self.change(state) { (names) throws(MAMError) in try names.retire(["BOB@contoso.example"], nil) }
        #expect(try Self.names(state).registered.isEmpty)
    }

    @Test("lists that do not verify are an error, and the next change replaces them")
    func tampered() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try Self.change(state) { (names) throws(MAMError) in try names.retire(["ann"], nil) }
        try temporary.tamper("UPDATE facts SET value = zeroblob(90) WHERE name = 'names'")
        #expect(throws: MAMError(.tampered, "")) { try Self.names(state) }
        try Self.change(state) { (names) throws(MAMError) in try names.retire(["bob"], nil) }
        #expect(try Self.names(state).isRetired(Identity.fold("bob")))
    }

    @Test("an account keeps the last 16 names that it had")
    func renaming() {
        var record = record("ann0")
        record.accountId = "id"
        var dropped: [String] = []
        for number in 1...20 { dropped += record.rename(accountId: "id", upn: "ann\(number)") }
        #expect(record.formerNames == (4...19).map { "ann\($0)" })
        #expect(dropped == (0...3).map { "ann\($0)" })
        #expect(record.rename(accountId: "ID", upn: "ANN20").isEmpty)
        #expect(record.formerNames.count == 16)
        // A former name that becomes current again is no longer a former name.
        #expect(record.rename(accountId: "id", upn: "Ann10").isEmpty)
        #expect(record.formerNames.last == "ANN20" && !record.formerNames.contains("ann10"))
    }
}
