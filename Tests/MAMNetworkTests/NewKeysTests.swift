import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority

/// A service whose keys change: apps follow its statements, and nothing else.
@Suite struct NewKeysTests {
    private let service: LoopbackService
    /// The keys of the service, oldest first, and recovery keys.
    private let (first, second, third): (SigningKey, SigningKey, SigningKey)
    private let (recovery, otherRecovery): (SigningKey, SigningKey)
    private let statements = Locked<[AuthorityStatement]>([])

    init() throws {
        func key() throws -> SigningKey { try SigningKey(try SecretBytes.random(count: 32)) }
        service = try LoopbackService()
        (first, second, third, recovery, otherRecovery) = (try key(), try key(), try key(), try key(), try key())
        sign(with: first)
    }

    private func keys(_ signing: SigningKey..., recovery: SigningKey? = nil) throws -> AuthorityKeys {
        try #require(
            AuthorityKeys(signing: signing.map(\.verifier), recovery: (recovery ?? self.recovery).verifier))
    }

    private func state(_ keys: AuthorityKeys, _ signers: SigningKey...) throws {
        let number = Int64(statements.withLock { $0.count }) + 1
        let next = try AuthorityStatement(number: number, tenant: "contoso", keys: keys, signedBy: signers)
        statements.withLock { $0.append(next) }
    }

    /// Have every reply signed with a key, and the document carry the statements.
    private func sign(with key: SigningKey, statements limit: Int = .max) {
        let statements = statements
        service.tamper = { [unowned service] (request, reply) in
            guard let json = try? JSON(parsing: reply.body, limit: 1 << 20), let members = json.object else {
                return reply
            }
            guard request.method == "GET" else { return service.signed(reply.status, json, to: request, by: key) }
            let told = statements.withLock { JSON.array($0.prefix(limit).map(\.json)) }
            let document = JSON.object(members.filter { $0.key != "statements" } + [("statements", told)])
            return service.signed(reply.status, document, to: request, by: key)
        }
    }

    private func client(
        _ store: MemoryStore = MemoryStore(), keys: AuthorityKeys? = nil, statement: Int64 = 0
    ) throws -> ServiceAuthority {
        let settings = ServiceSettings(
            url: LoopbackService.url, keys: try keys ?? self.keys(first), statement: statement)
        let clock = Clock(
            now: { [service] in service.clientTime },
            sinceBoot: { [service] in service.clientTime - Instant(milliseconds: 1_794_000_000_000) }, boot: { "boot" })
        return ServiceAuthority(settings, transport: service, store: store, clock: clock, libraryVersion: "1.0")
    }

    private func enrolled(_ store: MemoryStore = MemoryStore()) throws -> TestApp {
        var app = TestApp(try client(store))
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        return app
    }

    private func refusal(_ app: TestApp) -> StatusCode? {
        do throws(AuthorityFailure) {
            _ = try app.checkIn()
            return nil
        } catch { return error.code }
    }

    @Test func aRotatedKeyIsFollowedAtOnce() throws {
        let store = MemoryStore()
        let app = try enrolled(store)
        try state(keys(second, first), first, recovery)
        sign(with: second)
        #expect(try app.checkIn().identity?.number == 2)
        #expect(store.record().known?.keys == (try keys(second, first)))
        #expect(store.record().known?.number == 1)
        sign(with: first)
        #expect(refusal(app) == nil, "the former key still counts")
        try state(keys(second), second, recovery)
        sign(with: second)
        // The client asks for the document within a day.
        service.clientTime = service.clientTime + .hours(25)
        service.serviceTime = service.clientTime
        #expect(refusal(app) == nil)
        sign(with: first)
        #expect(refusal(app) == .parsingFailure)
    }

    @Test func aRecoveredKeyEndsTheStolenOne() throws {
        let app = try enrolled()
        try state(keys(second), recovery)
        sign(with: second)
        #expect(refusal(app) == nil)
        sign(with: first)
        #expect(refusal(app) == .parsingFailure)
    }

    @Test func whoHasTheKeyInUseAloneCannotReplaceIt() throws {
        let store = MemoryStore()
        let app = try enrolled(store)
        try state(keys(second, first), first)
        sign(with: second)
        #expect(refusal(app) == .parsingFailure)
        #expect(store.record().known?.keys == (try keys(first)))
        sign(with: first)
        #expect(refusal(app) == nil)
    }

    @Test func aStateThatWasSilentForYearsFollowsTheChain() throws {
        let store = MemoryStore()
        let app = try enrolled(store)
        try state(keys(second, first), first, recovery)
        try state(keys(third, recovery: otherRecovery), recovery)
        try state(keys(second, recovery: otherRecovery), third, otherRecovery)
        sign(with: second)
        var next = TestApp(try client(store))
        next.authority.expect(app.enrollment?.identity)
        next.enrollment = app.enrollment
        #expect(refusal(next) == nil)
        #expect(store.record().known?.number == 3)
        var later = TestApp(try client(store))
        later.authority.expect(app.enrollment?.identity)
        later.enrollment = app.enrollment
        #expect(refusal(later) == nil, "from the record")
    }

    @Test func aChainWithoutItsEndLeadsNowhere() throws {
        let app = try enrolled()
        try state(keys(second), recovery)
        try state(keys(third), recovery)
        sign(with: third, statements: 1)
        #expect(refusal(app) == .parsingFailure)
    }

    @Test func keysThatAnotherCopyChangedAreNamed() throws {
        let store = MemoryStore()
        let app = try enrolled(store)
        try state(keys(second), recovery)
        sign(with: second)
        #expect(refusal(app) == nil)
        func message(_ authority: ServiceAuthority) throws -> String {
            var later = TestApp(authority)
            later.authority.expect(app.enrollment?.identity)
            later.enrollment = app.enrollment
            let failure = #expect(throws: AuthorityFailure.self) { try later.checkIn() }
            // Of a reply, or of the document that a new client reads first.
            #expect(failure?.code == .parsingFailure || failure?.code == .locationServiceFailure)
            return failure?.message ?? ""
        }
        // The copy from before, as it is, and recovered once more.
        sign(with: first, statements: 0)
        let old = try message(try client(store))
        #expect(old.contains("older than its keys") && old.contains("statement 1 ") && old.contains("--statements"))
        statements.withLock { $0 = [] }
        try state(keys(third), recovery)
        sign(with: third)
        for authority in [app.authority, try client(store)] {
            let forked = try message(authority)
            #expect(forked.contains("changed in another copy") && forked.contains("another statement 1"), "\(forked)")
        }
        // A stranger's statements prove nothing.
        statements.withLock { $0 = [] }
        try state(keys(third, recovery: otherRecovery), otherRecovery)
        #expect(!(try message(try client(store))).contains("another copy"))
    }

    @Test func settingsOfLaterKeysAreNotLedBack() throws {
        try state(keys(second), recovery)
        try state(keys(third), recovery)
        // The second key was stolen as well, and is used with the statements of its time.
        sign(with: second, statements: 1)
        var app = TestApp(try client(keys: try keys(third), statement: 2))
        let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(try service.invitation()) }
        #expect(failure?.code == .locationServiceFailure)
        sign(with: third)
        try app.enroll(try service.invitation())
    }

    @Test func settingsAfterANewRecoveryKeyAreTheSameAuthority() throws {
        let store = MemoryStore()
        let app = try enrolled(store)
        try state(keys(second, recovery: otherRecovery), recovery)
        sign(with: second)
        var next = TestApp(try client(store, keys: try keys(second, recovery: otherRecovery), statement: 1))
        next.authority.expect(app.enrollment?.identity)
        next.enrollment = app.enrollment
        #expect(refusal(next) == nil)
        let (stranger, strangers) = (third, try keys(third, recovery: first))
        sign(with: stranger)
        var moved = TestApp(try client(store, keys: strangers))
        moved.authority.expect(app.enrollment?.identity)
        moved.enrollment = app.enrollment
        #expect(refusal(moved) != nil, "settings of another authority")
        moved.authority.expect(nil)
        try moved.enroll(try service.invitation())
    }

    @Test func anOldDocumentIsRefused() throws {
        let app = try enrolled()
        service.clientTime = service.clientTime + .hours(49)
        app.authority.memory.withLock { $0.directory = nil }
        #expect(refusal(app) == .locationServiceFailure)
    }

    @Test func aServiceWhoseClockWasSetBackIsStillReached() throws {
        let app = try enrolled()
        service.clientTime = service.clientTime + .hours(49)
        let sent = service.requests.count
        #expect(refusal(app) == nil, "the former document leads to a reply that tells the time")
        #expect(service.requests.dropFirst(sent).map(\.method) == ["GET", "POST", "POST"])
        #expect(refusal(app) == nil)
        #expect(service.requests.dropFirst(sent + 3).map(\.method) == ["GET", "POST"])
    }
}
