import MAMProtection
import MAMState
import MAMSupport
import Testing

@Suite("PINs in the state")
struct PINTests {
    private func secret(_ text: String) throws -> SecretBytes {
        try Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(MAMError) in try SecretBytes(copying: bytes) }
        }.get()
    }

    private func set(_ text: String, in state: State) throws {
        let pin = try secret(text)
        try state.write { (view) throws(MAMError) in
            let subject = try view.pins.subject(of: Array("ann".utf8))
            let hash = try PINHash(pin, id: subject.id, key: subject.key, cost: .init(logN: 4, r: 8, p: 1))
            let former = try view.pins.load(subject)
            try view.pins.store(PINRecord(hash, rule: [:], now: Instant(milliseconds: 5), after: former), subject)
        }
    }

    private func load(_ state: State) throws -> PINRecord? {
        try state.read { (view, _) throws(MAMError) in
            try view.pins.load(try view.pins.subject(of: Array("ann".utf8)))
        }
    }

    private func count(_ state: State, limit: Int) throws -> PINStore.AttemptResult {
        try state.write { (view) throws(MAMError) in
            try view.pins.countAttempt(try view.pins.subject(of: Array("ann".utf8)), limit: limit)
        }
    }

    @Test("one app's PIN is the other app's, and survives both")
    func shared() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        #expect(try load(state) == nil)
        try set("1397", in: state)
        state.close()
        let other = try temporary.open(app: "com.example.mail")
        defer { other.close() }
        let record = try #require(try load(other))
        let pin = try secret("1397")
        let isRight = try other.read { (view, _) throws(MAMError) in
            let subject = try view.pins.subject(of: Array("ann".utf8))
            return record.hash.matches(try record.hash.withSameParameters(for: pin, id: subject.id, key: subject.key))
        }
        #expect(isRight)
    }

    @Test("attempts count in the file, and end at the limit")
    func counted() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        guard case .notSet = try count(state, limit: 3) else { throw MAMError(.internal, "there was no PIN") }
        try set("1397", in: state)
        for failures in 1...3 {
            guard case .counted(let record) = try count(state, limit: 3) else {
                throw MAMError(.internal, "no attempt")
            }
            #expect(record.countedAttempts == failures)
            #expect(try load(state)?.countedAttempts == Int64(failures))
        }
        guard case .exhausted = try count(state, limit: 3) else { throw MAMError(.internal, "one too many") }
        #expect(try load(state)?.countedAttempts == 3)
    }

    @Test("former PINs are kept, the latest first, and no more than a policy can ask for")
    func history() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        for number in 0..<30 { try set("\(number)", in: state) }
        let record = try #require(try load(state))
        #expect(record.history.count == 24)
        let pin = try secret("28")
        let subject = try state.read { (view, _) throws(MAMError) in try view.pins.subject(of: Array("ann".utf8)) }
        let latest = try #require(record.history.first)
        #expect(latest.matches(try latest.withSameParameters(for: pin, id: subject.id, key: subject.key)))
    }

    @Test(
        "a row that was removed, put back, changed or renamed is found out",
        arguments: [
            "DELETE FROM pins", "UPDATE pins SET record = zeroblob(200)",
            "UPDATE pins SET id = zeroblob(16)", "UPDATE pins SET record = x''",
        ])
    func tampered(statement: String) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        try set("1397", in: state)
        state.close()
        try temporary.tamper(statement)
        let again = try temporary.open()
        defer { again.close() }
        #expect(throws: MAMError(.tampered, "")) { try load(again) }
        #expect(throws: MAMError(.tampered, "")) { _ = try count(again, limit: 5) }
    }

    @Test("a row of another state is not this one's")
    func foreign() throws {
        let (temporary, other) = (try TemporaryState(), try TemporaryState())
        for one in [temporary, other] {
            let state = try one.open()
            if one.root == other.root { try set("1397", in: state) }
            state.close()
        }
        try temporary.tamper("ATTACH '\(other.database)' AS other; INSERT INTO pins SELECT * FROM other.pins")
        let state = try temporary.open()
        defer { state.close() }
        // Another group has another id for the account's PIN, so that there is still none.
        #expect(try load(state) == nil)
    }
}
