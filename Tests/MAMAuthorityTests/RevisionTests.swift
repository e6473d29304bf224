import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("older copies of an authority")
struct RevisionTests {
    private static func revision(_ fixture: AuthorityFixture) throws -> Int64 {
        try fixture.perform("authority.show")["revision"]?.integer ?? -1
    }

    /// Replace a file, as an administrator who puts a copy back.
    private static func put(_ copy: String, in path: String) throws {
        for end in ["", ".key"] {
            try? FileManager.default.removeItem(atPath: path + end)
            try FileManager.default.copyItem(atPath: copy + end, toPath: path + end)
        }
    }

    private static func message(of work: () throws -> Void) -> String {
        do { try work() } catch { return (error as? AuthorityFailure)?.message ?? "\(error)" }
        return ""
    }

    @Test("a change raises the revision; a look, a rehearsal and a request that is refused do not")
    func counted() throws {
        let fixture = try AuthorityFixture()
        let first = try Self.revision(fixture)
        #expect(first == 4)
        let user: JSON = ["upn": "bob@contoso.example"]
        try fixture.perform("user.import", ["users": [user], "dryRun": true])
        #expect(throws: MAMError.self) { try fixture.perform("user.add", ["upn": "ann@contoso.example"]) }
        let app = App(fixture)
        _ = try app.checkIn(try app.enroll())
        #expect(try Self.revision(fixture) == first)
        try fixture.perform("user.import", ["users": [user]])
        try fixture.perform("key.rotate")
        try fixture.perform("key.sign")
        #expect(try Self.revision(fixture) == first + 3)
        let shown = try fixture.perform("authority.accept")
        #expect(try Self.revision(fixture) == (AuthorityFixture.time.milliseconds / 1000) << 20 + 1)
        #expect(try fixture.perform("authority.show") == shown)
    }

    @Test(
        "an app refuses a copy that is older than what it has seen, until that is accepted", arguments: [false, true])
    func refused(isReadOnly: Bool) throws {
        let fixture = try AuthorityFixture()
        let copy = fixture.folder + "/copy.db"
        try Self.put(fixture.path, in: copy)
        let (app, other) = (App(fixture, readOnly: isReadOnly), App(fixture, device: "another"))
        let enrollment = try app.enroll()
        app.authority.expect(try app.checkIn(enrollment).identity)
        try Self.put(fixture.path, in: copy)
        try fixture.perform("user.set", ["user": "ann-id", "enabled": false])
        // The process itself remembers it, before any state does.
        #expect(try app.checkIn(enrollment).isDisabled)
        try Self.put(copy, in: fixture.path)
        for _ in 0..<2 {
            #expect(Self.message { _ = try app.checkIn(enrollment) }.contains("it is an older copy"))
            #expect(app.authority.problem?.contains("mamctl authority accept") == true)
        }
        // One that has not seen the change takes it; a new key and another change do not make it newer.
        _ = try other.enroll()
        try fixture.perform("key.rotate")
        try fixture.perform("group.add", ["name": "Sales"])
        #expect(Self.message { _ = try app.checkIn(enrollment) }.contains("it was changed since"))
        try fixture.perform("authority.accept")
        let newer = try app.checkIn(enrollment)
        #expect(!newer.isDisabled)
        try Self.put(copy, in: fixture.path)
        #expect(Self.message { _ = try app.checkIn(enrollment) }.contains("does not follow the one"))
    }

    @Test("a new key on an older copy does not make it newer; accepting it does")
    func accepted() throws {
        let fixture = try AuthorityFixture()
        let copy = fixture.folder + "/copy.db"
        try Self.put(fixture.path, in: copy)
        for number in 1...3 { try fixture.perform("group.add", ["name": .string("Group \(number)")]) }
        let app = App(fixture, readOnly: true)
        let enrollment = try app.enroll()
        app.authority.expect(try app.checkIn(enrollment).identity)
        try Self.put(copy, in: fixture.path)
        try fixture.perform("key.rotate")
        for _ in 0..<2 { #expect(Self.message { _ = try app.checkIn(enrollment) }.contains("it is an older copy")) }
        try fixture.perform("authority.accept")
        let reply = try app.checkIn(enrollment)
        #expect(reply.policies.count == 1)
        // A state reads it again as it stored it.
        let stored = try #require(reply.identity.flatMap { AuthorityIdentity(json: $0.json) })
        #expect(stored == reply.identity && stored.revision == reply.identity?.revision && stored.revision > 1 << 32)
    }

    @Test("a copy that was changed since is older all the same, however often it was")
    func changed() throws {
        let fixture = try AuthorityFixture()
        let copy = fixture.folder + "/copy.db"
        try Self.put(fixture.path, in: copy)
        let app = App(fixture, readOnly: true)
        let enrollment = try app.enroll()
        try fixture.perform("user.set", ["user": "ann-id", "enabled": false])
        app.authority.expect(try app.checkIn(enrollment).identity)
        try Self.put(copy, in: fixture.path)
        for number in 1...4 {
            try fixture.perform("group.add", ["name": .string("Group \(number)")])
            let message = Self.message { _ = try app.checkIn(enrollment) }
            #expect(message.contains("it is an older copy: it was changed since"), "\(number): \(message)")
        }
        try fixture.perform("authority.accept")
        #expect(try !app.checkIn(enrollment).isDisabled)
    }

    @Test("a copy that is accepted is newer than one that was accepted before, and than it was itself")
    func acceptedAgain() {
        let (time, late) = (Instant(milliseconds: 1_795_000_000_000), Int64(1) << 60)
        let first = 7 + Store.raise(of: 7, accepting: time)
        #expect(7 + Store.raise(of: 7, accepting: time + TimeSpan(milliseconds: 1000)) >= first + 1 << 20)
        #expect(Store.raise(of: late, accepting: time) == 1 << 32)
    }

    @Test("a change is included where its mark is, or where no mark is as old")
    func marks() throws {
        var revision = Revision()
        #expect(revision.includes(0, nil) && !revision.includes(1, 5))
        try revision.raise(by: 1)
        let first = try #require(revision.marks.first)
        for _ in 1..<1024 { try revision.raise(by: 1) }
        #expect(revision.includes(1, first) && !revision.includes(1, first &+ 1) && revision.includes(0, nil))
        try revision.raise(by: 1)
        #expect(revision.number == 1025 && revision.marks.count == 1024 && revision.includes(1, first &+ 1))
        try revision.raise(by: 1 << 32)
        #expect(revision.marks.count == 1 && revision.includes(1025, 7))
    }

    @Test("the number is signed: one that was edited, or removed, is refused")
    func signed() throws {
        for statement in [
            "UPDATE revision SET number = 99", "UPDATE revision SET marks = x'00'", "DELETE FROM revision",
        ] {
            let fixture = try AuthorityFixture()
            try Database(path: fixture.path, mode: .readWrite).execute(statement)
            #expect(Self.message { _ = try App(fixture).enroll() }.contains("row 1 of table revision"))
        }
    }

    @Test("a file that was signed before changes were counted is verified, and upgraded")
    func upgrade() throws {
        let fixture = try AuthorityFixture()
        try fixture.downgrade(to: 7)
        let app = App(fixture, readOnly: true)
        let enrollment = try app.enroll()
        #expect(try app.checkIn(enrollment).identity?.revision == 0)
        try fixture.perform("group.add", ["name": "Sales"])
        let upgraded = try Database(path: fixture.path, mode: .readOnly)
        #expect(try upgraded.first("PRAGMA user_version") { $0.integer(0) } == Schema.version)
        #expect(try app.checkIn(enrollment).identity?.revision == 1)
    }
}
