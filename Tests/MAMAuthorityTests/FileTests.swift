import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
import MAMPolicy

@Suite("the file")
struct FileTests {
    @Test("a new authority is accessible by its owner alone")
    func create() throws {
        let fixture = try AuthorityFixture(empty: true)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let shown = try fixture.perform("authority.show")
        #expect(
            shown == [
                "path": .string(fixture.path), "name": "Contoso", "tenantId": "t-1", "custody": "development",
                "custodyReason": "this user owns the file", "revision": 0,
                "checkInInterval": .null, "domains": [], "users": 0, "groups": 0, "apps": 0, "policies": 0,
                "configurations": 0,
                "registrations": 0, "wipes": 0,
            ])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted() == [
                "authority.db", "authority.db.key",
            ])
    }

    @Test("creating it twice, or without a directory, changes nothing")
    func createTwice() throws {
        let fixture = try AuthorityFixture()
        #expect(try fixture.refusal("authority.create")?.code == .already)
        #expect(try fixture.perform("authority.show")["users"] == 1)
        let elsewhere = fixture.folder + "/no/such/authority.db"
        #expect(throws: MAMError(.notFound, "")) {
            try Administration.perform(
                path: elsewhere, request: ["action": "authority.create"], now: AuthorityFixture.time)
        }
    }

    @Test("name and interval can be set, and null resets the interval")
    func set() throws {
        let fixture = try AuthorityFixture(empty: true)
        #expect(try fixture.perform("authority.set", ["checkInInterval": "PT90S"])["checkInInterval"] == "PT1M30S")
        let enrolled = try AuthorityFixture()
        try enrolled.perform("authority.set", ["checkInInterval": "PT15M"])
        let app = App(enrolled)
        #expect(try app.checkIn(app.enroll()).interval == .minutes(15))
        #expect(try fixture.perform("authority.set", ["name": "Fabrikam"])["checkInInterval"] == "PT1M30S")
        #expect(try fixture.perform("authority.set", ["checkInInterval": .null])["checkInInterval"] == .null)
        #expect(try fixture.perform("authority.show")["name"] == "Fabrikam")
    }

    @Test(
        "files that are not an authority are refused: missing, empty, text, a directory, another database, a newer one")
    func notAnAuthority() throws {
        let fixture = try AuthorityFixture(empty: true)
        func code(_ path: String) -> MAMError.Code? {
            do {
                _ = try Administration.perform(path: path, request: ["action": "user.list"], now: AuthorityFixture.time)
            } catch {
                return error.code
            }
            return nil
        }
        #expect(code(fixture.folder + "/none.db") == .notFound)
        #expect(code(try fixture.write("", to: "empty.db")) == .storage)
        #expect(code(try fixture.write(String(repeating: "text", count: 999), to: "text.db")) == .storage)
        #expect(code(fixture.folder) == .storage)
        let other = try Database(path: fixture.folder + "/other.db", mode: .create)
        try other.execute("CREATE TABLE users (row)")
        #expect(code(other.path) == .storage)
        try other.execute("PRAGMA application_id = \(Schema.applicationId)")
        try other.execute("PRAGMA user_version = \(Schema.version + 1)")
        #expect(code(other.path) == .version)
    }

    @Test("names that SQLite interprets are taken as files")
    func oddNames() {
        #expect(throws: MAMError(.notFound, "")) {
            try Administration.perform(path: ":memory:", request: ["action": "user.list"], now: AuthorityFixture.time)
        }
    }

    @Test("custody is development where the user owns the file or can change it or its directory")
    func custody() throws {
        let fixture = try AuthorityFixture(empty: true)
        func custody(user: UInt32, writable: [String]) -> Custody {
            let access = UserFileRights(user: { user }, isWritable: { writable.contains($0) })
            return AuthorityFile(path: fixture.path, access: access).custody
        }
        let other: UInt32 = 4_000_000_000
        #expect(custody(user: other, writable: []) == .administered)
        #expect(custody(user: other, writable: [fixture.path]) == .development)
        #expect(custody(user: other, writable: [fixture.folder]) == .development)
        let owner = AuthorityFile(path: fixture.path).access.user()
        #expect(custody(user: owner, writable: []) == .development)
        #expect(
            AuthorityFile(path: fixture.folder + "/none.db", access: AuthorityFixture.readOnly).custody == .development)
    }

    @Test(
        "custody is development, for its owner too, where others may write the file",
        arguments: [(0o602, "every user can write the file"), (0o620, "the file's group can write it")]
            as [(mode_t, String)])
    func othersMayWrite(_ mode: mode_t, _ why: String) throws {
        let fixture = try AuthorityFixture(empty: true)
        let stranger = UserFileRights(user: { 4_000_000_000 }, isWritable: { _ in false })
        let files = [AuthorityFile(path: fixture.path), AuthorityFile(path: fixture.path, access: stranger)]
        #expect(files.map(\.developmentReason) == ["this user owns the file", nil])
        try #require(chmod(fixture.path, mode) == 0)
        #expect(files.map(\.developmentReason) == [why, why])
        #expect(files.map(\.custody) == [.development, .development])
    }

    @Test("an administered authority is read-only")
    func administered() throws {
        let fixture = try AuthorityFixture()
        let file = fixture.readOnlyFile
        func perform(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
            try Administration.perform(file, AuthorityFixture.request(action, keys), now: AuthorityFixture.time)
        }
        #expect(try perform("authority.show")["custody"] == "administered")
        #expect(try perform("user.list")["users"]?.array?.count == 1)
        #expect(throws: MAMError(.permission, "")) { try perform("user.add", ["upn": "eve"]) }
        #expect(throws: MAMError(.permission, "")) { try perform("fault.clear") }
    }

    @Test("concurrent administrators wait for each other")
    func twoAdministrators() throws {
        let fixture = try AuthorityFixture(empty: true)
        let path = fixture.path
        let failures = inThreads(4) { number in
            for index in 0..<10 {
                _ = try Administration.perform(
                    path: path, request: ["action": "user.add", "upn": .string("u\(number)-\(index)")],
                    now: AuthorityFixture.time
                )
            }
        }
        #expect(failures.isEmpty)
        #expect(try fixture.perform("authority.show")["users"] == 40)
    }

    @Test("waiting for the lock times out with an error")
    func locked() throws {
        let fixture = try AuthorityFixture()
        let other = try Database(path: fixture.path, mode: .readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let app = App(fixture)
        #expect(try failure { try app.enroll() }?.code == .timeout)
        try other.execute("ROLLBACK")
        _ = try app.enroll()
    }
}

/// Run a body in several threads; returns the errors.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [any Error] {
    let done = DispatchSemaphore(value: 0)
    let errors = Errors()
    for number in 0..<count {
        Thread {
            do { try body(number) } catch { errors.add(error) }
            done.signal()
        }.start()
    }
    for _ in 0..<count { done.wait() }
    return errors.all
}

private final class Errors: @unchecked Sendable {
    // Guarded by the lock.
    private let lock = NSLock()
    private var errors: [any Error] = []
    func add(_ error: any Error) { lock.withLock { errors.append(error) } }
    var all: [any Error] { lock.withLock { errors } }

    @Test("a foreign trigger is refused by name")
    func trigger() throws {
        let fixture = try AuthorityFixture()
        try Database(path: fixture.path, mode: .readWrite).execute(
            "CREATE TRIGGER veto BEFORE INSERT ON wipes BEGIN SELECT raise(ABORT, 'no'); END")
        let refusal = try fixture.refusal("wipe.request", ["user": "ann@contoso.example"])
        #expect(refusal?.code == .tampered && refusal?.message.contains("trigger veto") == true)
    }
}
