import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("the file")
struct FileTests {
    @Test("a new authority is its owner's alone, and says what it is")
    func create() throws {
        let office = try Office(empty: true)
        let mode = try FileManager.default.attributesOfItem(atPath: office.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let shown = try office.perform("authority.show")
        #expect(
            shown == [
                "path": .string(office.path), "name": "Contoso", "tenantId": "t-1", "custody": "development",
                "checkInInterval": .null, "domains": [], "users": 0, "groups": 0, "apps": 0, "policies": 0,
                "configurations": 0,
                "registrations": 0, "wipes": 0,
            ])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: office.folder).sorted() == [
                "authority.db", "authority.db.key",
            ])
    }

    @Test("making it twice, or where no directory is, changes nothing")
    func createTwice() throws {
        let office = try Office()
        #expect(try office.refusal("authority.create")?.code == .already)
        #expect(try office.perform("authority.show")["users"] == 1)
        let elsewhere = office.folder + "/no/such/authority.db"
        #expect(throws: MAMError(.notFound, "")) {
            try Administration.perform(path: elsewhere, request: ["action": "authority.create"], now: Office.time)
        }
    }

    @Test("name and interval change, and null takes the interval back")
    func set() throws {
        let office = try Office(empty: true)
        #expect(try office.perform("authority.set", ["checkInInterval": "PT90S"])["checkInInterval"] == "PT1M30S")
        let enrolled = try Office()
        try enrolled.perform("authority.set", ["checkInInterval": "PT15M"])
        let app = App(enrolled)
        #expect(try app.checkIn(app.enroll()).interval == .minutes(15))
        #expect(try office.perform("authority.set", ["name": "Fabrikam"])["checkInInterval"] == "PT1M30S")
        #expect(try office.perform("authority.set", ["checkInInterval": .null])["checkInInterval"] == .null)
        #expect(try office.perform("authority.show")["name"] == "Fabrikam")
    }

    @Test("what is no authority is refused: missing, empty, text, a directory, another database, a newer one")
    func notAnAuthority() throws {
        let office = try Office(empty: true)
        func code(_ path: String) -> MAMError.Code? {
            do { _ = try Administration.perform(path: path, request: ["action": "user.list"], now: Office.time) } catch
            {
                return error.code
            }
            return nil
        }
        #expect(code(office.folder + "/none.db") == .notFound)
        #expect(code(try office.write("", to: "empty.db")) == .storage)
        #expect(code(try office.write(String(repeating: "text", count: 999), to: "text.db")) == .storage)
        #expect(code(office.folder) == .storage)
        let other = try Database(path: office.folder + "/other.db", mode: .create)
        try other.execute("CREATE TABLE users (row)")
        #expect(code(other.path) == .storage)
        try other.execute("PRAGMA application_id = \(Schema.applicationId)")
        try other.execute("PRAGMA user_version = \(Schema.version + 1)")
        #expect(code(other.path) == .version)
    }

    @Test("names that SQLite would take for something else are files")
    func oddNames() {
        #expect(throws: MAMError(.notFound, "")) {
            try Administration.perform(path: ":memory:", request: ["action": "user.list"], now: Office.time)
        }
    }

    @Test("development where the user can change the file or its directory, or owns it")
    func custody() throws {
        let office = try Office(empty: true)
        func custody(user: UInt32, writable: [String]) -> Custody {
            let access = FileAccess(user: { user }, isWritable: { writable.contains($0) })
            return AuthorityFile(path: office.path, access: access).custody
        }
        let other: UInt32 = 4_000_000_000
        #expect(custody(user: other, writable: []) == .administered)
        #expect(custody(user: other, writable: [office.path]) == .development)
        #expect(custody(user: other, writable: [office.folder]) == .development)
        let owner = AuthorityFile(path: office.path).access.user()
        #expect(custody(user: owner, writable: []) == .development)
        #expect(AuthorityFile(path: office.folder + "/none.db", access: Office.readOnly).custody == .development)
    }

    @Test("an administered authority is shown and not changed")
    func administered() throws {
        let office = try Office()
        let file = office.readOnlyFile
        func perform(_ action: String, _ keys: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
            try Administration.perform(file, Office.request(action, keys), now: Office.time)
        }
        #expect(try perform("authority.show")["custody"] == "administered")
        #expect(try perform("user.list")["users"]?.array?.count == 1)
        #expect(throws: MAMError(.permission, "")) { try perform("user.add", ["upn": "eve"]) }
        #expect(throws: MAMError(.permission, "")) { try perform("fault.clear") }
    }

    @Test("two administrators at once wait for each other")
    func twoAdministrators() throws {
        let office = try Office(empty: true)
        let path = office.path
        let failures = inThreads(4) { number in
            for index in 0..<10 {
                _ = try Administration.perform(
                    path: path, request: ["action": "user.add", "upn": .string("u\(number)-\(index)")], now: Office.time
                )
            }
        }
        #expect(failures.isEmpty)
        #expect(try office.perform("authority.show")["users"] == 40)
    }

    @Test("who is kept out for too long is told so")
    func locked() throws {
        let office = try Office()
        let other = try Database(path: office.path, mode: .readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let app = App(office)
        #expect(try failure { try app.enroll() }?.code == .timeout)
        try other.execute("ROLLBACK")
        _ = try app.enroll()
    }
}

/// Run a body in so many threads; what they threw.
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

    @Test("a trigger that libmam did not make is named and refused")
    func trigger() throws {
        let office = try Office()
        try Database(path: office.path, mode: .readWrite).execute(
            "CREATE TRIGGER veto BEFORE INSERT ON wipes BEGIN SELECT raise(ABORT, 'no'); END")
        let refusal = try office.refusal("wipe.request", ["user": "ann@contoso.example"])
        #expect(refusal?.code == .tampered && refusal?.message.contains("trigger veto") == true)
    }
}
