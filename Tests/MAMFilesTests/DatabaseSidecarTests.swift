import Testing

@testable import MAMFiles

@Suite("names beside a database")
struct DatabaseSidecarTests {
    static func databases(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBufferPointer { DatabaseSidecar.databases(of: $0) }.map {
            String(decoding: bytes.prefix($0), as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("notes.db-wal", ["notes.db"]), ("notes.db-shm", ["notes.db"]), ("notes.db-journal", ["notes.db"]),
        ("notes.db-mj0A1B2C90F", ["notes.db"]), ("notes.db-mam-new", ["notes.db"]),
        ("notes.db-mam-new-wal", ["notes.db-mam-new", "notes.db"]), ("a-wal-wal", ["a-wal"]), ("é-wal", ["é"]),
    ])
    func tellTheirDatabase(_ name: String, _ databases: [String]) {
        #expect(DatabaseSidecarTests.databases(name) == databases)
    }

    @Test(arguments: [
        "", "-wal", "-mam-new", "-mj0A1B2C90F", "notes.db", "wal", "notes.db-walrus", "notes.db-WAL", "notes.db-mj",
        "notes.db-mj0A1B2C80F", "notes.db-mj0a1b2c90f", "notes.db-mj0A1B2C90FF", "notes.dbwal", "F",
    ])
    func othersTellNone(_ name: String) { #expect(DatabaseSidecarTests.databases(name).isEmpty) }

    @Test("databases are distinguished from their logs and journals")
    func beginnings() {
        #expect(
            DatabaseSidecar.isDatabase(Array("SQLite format 3\0".utf8))
                && DatabaseSidecar.isDatabase([0x4D, 0x41, 0x4D, 3]))
        #expect(!DatabaseSidecar.isDatabase([]) && !DatabaseSidecar.isDatabase([0x4D, 0x41, 0x4D, 2]))
        #expect(!DatabaseSidecar.isDatabase(Array("SQLite format 4\0".utf8)))
        #expect(
            DatabaseSidecar.isLogOrJournal([0x37, 0x7F, 0x06, 0x83, 0])
                && !DatabaseSidecar.isLogOrJournal([0x37, 0x7F, 0x06]))
    }
}
