import MAMPolicy
import MAMSupport
import Testing

@testable import MAMState

@Suite("refresh tokens in the state")
struct RefreshTokenTests {
    private func secret(_ text: String) throws(MAMError) -> SecretBytes {
        let bytes = Array(text.utf8)
        return try SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    private func text(_ secret: SecretBytes?) -> String? {
        secret?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// A state with two accounts, of which the first has a token.
    private func made(_ temporary: TemporaryState) throws -> (State, ann: AccountRow, bob: AccountRow) {
        let state = try temporary.open()
        let token = try secret("token of ann")
        let (ann, bob) = try state.commitForAll { (view) throws(MAMError) in
            let ann = try view.accounts.add(record("ann@contoso.example"))
            let bob = try view.accounts.add(record("bob@contoso.example"))
            try view.refreshTokens.store(token, of: ann)
            return (ann, bob)
        }
        return (state, ann, bob)
    }

    private func stored(_ state: State, _ row: AccountRow) throws -> String? {
        text(try state.read { (view, _) throws(MAMError) in try view.refreshTokens.load(of: row) })
    }

    @Test("a token is taken once")
    func once() throws {
        let temporary = try TemporaryState()
        let (state, ann, bob) = try made(temporary)
        defer { state.close() }
        #expect(try stored(state, ann) == "token of ann")
        #expect(try stored(state, bob) == nil)
        let other = try temporary.open()
        defer { other.close() }
        let taken = try [state, other].map { state in
            text(try state.write { (view) throws(MAMError) in try view.refreshTokens.take(of: ann) })
        }
        #expect(taken == ["token of ann", nil])
        let next = try secret("the next")
        try state.write { (view) throws(MAMError) in
            try view.refreshTokens.store(try secret("replaced"), of: ann)
            try view.refreshTokens.store(next, of: ann)
        }
        #expect(try stored(other, ann) == "the next")
    }

    @Test("a token in use is taken by nobody, and cannot be made one that can be used")
    func inUse() throws {
        let temporary = try TemporaryState()
        let (state, ann, _) = try made(temporary)
        defer { state.close() }
        #expect(
            text(try state.write { (view) throws(MAMError) in try view.refreshTokens.use(of: ann) }) == "token of ann")
        #expect(try stored(state, ann) == nil)
        #expect(try state.write { (view) throws(MAMError) in try view.refreshTokens.use(of: ann) } == nil)
        try temporary.tamper("UPDATE refresh_tokens SET used = 0")
        #expect(try stored(state, ann) == nil)
        try temporary.tamper("UPDATE refresh_tokens SET used = 1")
        let left = try state.write { (view) throws(MAMError) in try view.refreshTokens.takeAll(of: ann) }
        #expect(left.map { text($0) } == ["token of ann"])
        #expect(try !state.read { (view, _) throws(MAMError) in try view.refreshTokens.hasAny(ann) })
    }

    @Test("a revocation that was changed, or whose parts are of two, is none")
    func revocations() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let now = Instant(milliseconds: 1_795_000_000_000)
        try state.commitForAll { (view) throws(MAMError) in
            for name in ["a", "b", "c"] { try view.revocations.add(try secret(name), isUsable: true, at: now) }
        }
        try temporary.tamper(
            "UPDATE revocations SET token = (SELECT token FROM revocations WHERE number = 2) WHERE number = 1")
        try temporary.tamper("UPDATE revocations SET record = zeroblob(80) WHERE number = 3")
        let (waiting, broken) = try state.read { (view, _) throws(MAMError) in try view.revocations.all() }
        #expect(waiting.map { text($0.token) } == ["b"] && broken.count == 2)
        let ends = [-25, -23, 0, 23, 25].map { waiting[0].isOver(at: now + .hours($0)) }
        #expect(ends == [true, false, false, false, true])
    }

    @Test("a row that was changed, or moved to another account, is no token")
    func tampered() throws {
        let temporary = try TemporaryState()
        let (state, ann, bob) = try made(temporary)
        defer { state.close() }
        try temporary.tamper(
            "INSERT INTO refresh_tokens SELECT a.id, 0, r.wrapped FROM accounts a, refresh_tokens r WHERE a.id <> r.account"
        )
        #expect(try stored(state, bob) == nil)
        try temporary.tamper("UPDATE refresh_tokens SET wrapped = zeroblob(length(wrapped))")
        #expect(try stored(state, ann) == nil)
        try temporary.tamper("UPDATE refresh_tokens SET wrapped = x'00'")
        #expect(try stored(state, ann) == nil)
        #expect(try state.write { (view) throws(MAMError) in try view.refreshTokens.take(of: ann) } == nil)
        #expect(try !state.read { (view, _) throws(MAMError) in try view.refreshTokens.has(ann) })
    }

    @Test("a token ends with its account", arguments: ["unenrolled", "forgotten", "removed"])
    func ends(_ way: String) throws {
        let temporary = try TemporaryState()
        let (state, ann, _) = try made(temporary)
        defer { state.close() }
        try state.commitForAll { (view) throws(MAMError) in
            switch way {
            case "unenrolled":
                _ = try view.endAccount(.unenrolled(ann, isEnrolled: true, closing: []), at: Instant(milliseconds: 7))
            case "forgotten": _ = try view.endAccount(.authorityForgotten(ann), at: Instant(milliseconds: 7))
            default: try view.accounts.remove(ann.id)
            }
        }
        #expect(try stored(state, ann) == nil)
    }

    @Test("a wiped account's token does not open")
    func wiped() throws {
        let temporary = try TemporaryState()
        let (state, ann, _) = try made(temporary)
        try state.destroyKey(ann.id, Tombstone(reason: .host, wipe: nil))
        state.close()
        let next = try temporary.open()
        defer { next.close() }
        let opened = try next.read { (view, _) throws(MAMError) in try view.accounts.row(ann.id) }
        #expect(opened == nil)
    }
}
