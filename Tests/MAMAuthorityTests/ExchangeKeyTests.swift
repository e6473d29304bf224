import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("exchange keys")
struct ExchangeKeyTests {
    private let fixture: AuthorityFixture
    private let notes: App
    private let mail: App

    init() throws {
        fixture = try AuthorityFixture()
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        notes = App(fixture)
        mail = App(fixture, app: "mail", device: "desktop")
    }

    private func isSame(_ one: [ExchangeKey], _ other: [ExchangeKey]) -> Bool {
        one.map(\.epoch) == other.map(\.epoch) && one.map(\.id) == other.map(\.id)
            && zip(one, other).allSatisfy { $0.key.isEqual(to: $1.key) }
    }

    @Test("every managed app of an account gets the same keys, and no other account's")
    func shared() throws {
        let (first, second) = (try notes.enroll(), try mail.enroll())
        let keys = try notes.exchangeKeys(first)
        #expect(keys.map(\.epoch) == [1])
        #expect(isSame(keys, try mail.exchangeKeys(second)))
        try fixture.perform("user.add", ["upn": "bob@contoso.example"])
        let bobs = try notes.exchangeKeys(notes.enroll("bob@contoso.example"))
        #expect(bobs.count == 1 && !isSame(bobs, keys))
    }

    @Test("unenrollment and wipes begin a new epoch, of which the app gets no key")
    func rotation() throws {
        let (first, second) = (try notes.enroll(), try mail.enroll())
        try mail.unenroll(second)
        #expect(try notes.exchangeKeys(first, from: 1).map(\.epoch) == [1, 2])
        #expect(try failure { try mail.exchangeKeys(second) }?.code == .policyRecordGone)
        let third = try mail.enroll()
        #expect(third.exchangeMark == 2)
        #expect(try mail.exchangeKeys(third, from: third.exchangeMark).map(\.epoch) == [2])
        try mail.report(third, wipe: nil)
        #expect(try notes.exchangeKeys(first, from: 0).map(\.epoch) == [3])
        let fourth = try mail.enroll()
        let wipe = try fixture.perform("wipe.request", ["user": "ann-id", "app": "mail"])["id"]?.integer
        #expect(try notes.exchangeKeys(first, from: 3).map(\.epoch) == [3, 4])
        #expect(try failure { try mail.exchangeKeys(fourth) }?.code == .wipeReceived)
        try mail.report(fourth, wipe: wipe)
        #expect(try notes.exchangeKeys(first, from: 4).map(\.epoch) == [4])
        let registrations = try fixture.perform("registration.list")["registrations"]?.array ?? []
        let id = try #require(registrations.first?["id"])
        try fixture.perform("registration.remove", ["registration": id])
        #expect(try failure { try notes.exchangeKeys(first) }?.code == .policyRecordGone)
        #expect(try notes.enroll().exchangeMark == 5)
    }

    @Test("a user who is added again begins another epoch")
    func addedAgain() throws {
        let before = try notes.exchangeKeys(notes.enroll())
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        try fixture.perform("user.add", ["upn": "ann@contoso.example", "accountId": "ANN-id"])
        let after = try notes.exchangeKeys(notes.enroll())
        #expect(before.map(\.epoch) == [1] && after.map(\.epoch) == [2])
    }

    @Test("disabled and untargeted users get no keys")
    func refused() throws {
        let enrollment = try notes.enroll()
        try fixture.perform("user.set", ["user": "ann-id", "enabled": false])
        #expect(try failure { try notes.exchangeKeys(enrollment) } != nil)
        try fixture.perform("user.set", ["user": "ann-id", "enabled": true])
        try fixture.perform("policy.untarget", ["policy": "strict", "app": "notes"])
        #expect(try failure { try notes.exchangeKeys(enrollment) }?.code == .noPolicyReceived)
    }

    @Test("with a read-only file, wipe requests begin epochs")
    func readOnly() throws {
        let app = App(fixture, readOnly: true)
        let enrollment = try app.enroll()
        #expect(try app.exchangeKeys(enrollment, from: enrollment.exchangeMark).map(\.epoch) == [1])
        try app.unenroll(enrollment)
        #expect(try app.exchangeKeys(enrollment, from: 0).map(\.epoch) == [1])
        try fixture.perform("wipe.request", ["user": "ann-id", "app": "mail"])
        #expect(try app.exchangeKeys(enrollment, from: 0).map(\.epoch) == [2])
    }

    @Test("former keys are limited in number, and bound to their row")
    func rows() throws {
        let enrollment = try notes.enroll()
        let database = try Database(path: fixture.path, mode: .readWrite)
        let store = Store(
            database: database, isWritable: true, keyFile: AuthorityFile(path: fixture.path).keyFile)
        try database.transaction { () throws(MAMError) in
            for _ in 0..<(Store.maximumExchangeKeys + 5) {
                try store.rotateExchangeKey(accountKey: Identity.fold("ann-id"))
            }
        }
        #expect(try notes.exchangeKeys(enrollment, from: 1).count == Int(Store.maximumExchangeKeys))
        try database.execute(
            "UPDATE exchange_keys SET wrapped = (SELECT wrapped FROM exchange_keys ORDER BY epoch LIMIT 1)")
        #expect(try failure { try notes.exchangeKeys(enrollment) }?.code == .parsingFailure)
    }
}
