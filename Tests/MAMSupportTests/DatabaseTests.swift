import MAMSupport
import Testing

@Suite("Database")
struct DatabaseTests {
    private func open() throws -> Database { try Database(path: ":memory:", mode: .create) }

    @Test func valuesComeBack() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (a, b, c, d)")
        try database.run("INSERT INTO t VALUES (?, ?, ?, ?)", .integer(.min), .text("a\u{0}ä"), .blob([0, 255]), .null)
        let row = try database.first("SELECT * FROM t") { ($0.integer(0), $0.text(1), $0.blob(2), $0.isNull(3)) }
        #expect(row?.0 == .min)
        #expect(row?.1 == "a\u{0}ä")
        #expect(row?.2 == [0, 255])
        #expect(row?.3 == true)
    }

    @Test func aTransactionThatFailsLeavesNothing() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (a)")
        #expect(throws: MAMError(.canceled, "")) {
            try database.transaction { () throws(MAMError) in
                try database.run("INSERT INTO t VALUES (1)")
                throw MAMError(.canceled, "")
            }
        }
        #expect(try database.first("SELECT count(*) FROM t") { $0.integer(0) } == 0)
    }

    @Test func whatIsNoDatabaseIsNamed() {
        #expect(throws: MAMError(.storage, "")) {
            let database = try Database(path: "/usr/bin/env", mode: .readOnly)
            try database.query("SELECT * FROM sqlite_master") { _ in }
        }
        #expect(throws: MAMError(.io, "")) { try Database(path: "/nonexistent/x.db", mode: .readWrite) }
    }

    @Test("a statement that would never end ends when it is interrupted")
    func interrupted() throws {
        let interrupts = InterruptSource()
        let database = try Database(path: ":memory:", mode: .create, interrupts: interrupts)
        interrupts.close()
        try database.execute("CREATE TABLE t (a)")
        #expect(throws: MAMError(.interrupted, "")) {
            try database.query("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n") {
                _ in
            }
        }
    }

    @Test("a row that would fill the memory is refused before it does")
    func hugeValues() throws {
        let database = try Database(path: ":memory:", mode: .create)
        try database.execute("CREATE TABLE t (text)")
        try database.execute("INSERT INTO t VALUES (zeroblob(200 << 20))")
        #expect(throws: MAMError(.storage, "")) { try database.execute("INSERT INTO t VALUES (zeroblob(300 << 20))") }
    }
}
