import CMam
import Glibc

/// A connection through the SQLite that libmam loads. Functions are looked up by name, because mamctl links libmam alone.
final class SQLiteDatabase {
    private typealias Open =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
        ) -> Int32
    private typealias Prepare =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
            UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    private typealias Number = @convention(c) (OpaquePointer?) -> Int32
    private typealias NumberOfColumn = @convention(c) (OpaquePointer?, Int32) -> Int32
    private typealias TextOfColumn = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>?
    private typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    private typealias Complete = @convention(c) (UnsafePointer<CChar>) -> Int32

    private static let (readWriteCreateAndURI, row, done): (Int32, Int32, Int32) = (0x46, 100, 101)
    private static let (ioErrorOfData, ioErrorOfAccess): (Int32, Int32) = (10 | 32 << 8, 10 | 28 << 8)

    private let prepare: Prepare
    private let step, finalize, close, columns, code: Number
    private let bytes: NumberOfColumn
    private let text: TextOfColumn
    private let message: Message
    private let complete: Complete
    private var connection: OpaquePointer?

    /// Open a database, creating it where it does not exist.
    init(_ path: String, vfs: String) throws {
        guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else {
            throw CommandError.failed("there is no libsqlite3.so.0")
        }
        func function<F>(_ name: String, as _: F.Type) throws -> F {
            guard let symbol = dlsym(library, name) else { throw CommandError.failed("libsqlite3.so.0 has no \(name)") }
            return unsafeBitCast(symbol, to: F.self)
        }
        prepare = try function("sqlite3_prepare_v2", as: Prepare.self)
        step = try function("sqlite3_step", as: Number.self)
        finalize = try function("sqlite3_finalize", as: Number.self)
        close = try function("sqlite3_close_v2", as: Number.self)
        columns = try function("sqlite3_column_count", as: Number.self)
        bytes = try function("sqlite3_column_bytes", as: NumberOfColumn.self)
        text = try function("sqlite3_column_text", as: TextOfColumn.self)
        message = try function("sqlite3_errmsg", as: Message.self)
        complete = try function("sqlite3_complete", as: Complete.self)
        code = try function("sqlite3_extended_errcode", as: Number.self)
        let open = try function("sqlite3_open_v2", as: Open.self)
        let wait = try function("sqlite3_busy_timeout", as: NumberOfColumn.self)
        guard open(path, &connection, SQLiteDatabase.readWriteCreateAndURI, vfs) == 0 else {
            throw CommandError.failed("\(path): \(failure.message ?? "")")
        }
        _ = wait(connection, 5000)
    }

    deinit { _ = close(connection) }

    /// Whether text ends with a complete statement.
    func isComplete(_ text: String) -> Bool { complete(text) != 0 }

    /// Run the statements of a text; `line` receives each row.
    func run(_ sql: String, _ line: (String) throws -> Void) throws {
        try sql.withCString { start in
            var next: UnsafePointer<CChar>? = start
            while let current = next, current.pointee != 0 {
                var statement: OpaquePointer?
                guard prepare(connection, current, -1, &statement, &next) == 0 else { throw failure }
                defer { _ = finalize(statement) }
                guard statement != nil else { continue }
                try runOne(statement, line)
            }
        }
    }

    private func runOne(_ statement: OpaquePointer?, _ line: (String) throws -> Void) throws {
        while true {
            let result = step(statement)
            if result == SQLiteDatabase.done { return }
            guard result == SQLiteDatabase.row else { throw failure }
            let values = (0..<columns(statement)).map { column in
                text(statement, column).map {
                    String(
                        decoding: UnsafeBufferPointer(start: $0, count: Int(bytes(statement, column))), as: UTF8.self)
                } ?? ""
            }
            let joined = values.joined(separator: "|")
            try line(Output.isTerminal ? Text.clean(joined) : joined)
        }
    }

    /// SQLite reports errors of libmam's VFS as I/O errors; translates their extended codes.
    private var failure: CommandError {
        switch code(connection) {
        case SQLiteDatabase.ioErrorOfData:
            CommandError.failed(
                "the database does not verify: it is damaged, or encrypted for another account or app, or under a key that is"
                    + " gone", status: MAM_ERR_DAMAGED)
        case SQLiteDatabase.ioErrorOfAccess:
            CommandError.failed(
                "the account's databases are closed: it is locked, or was wiped", status: MAM_ERR_CLOSED)
        default: CommandError.failed(message(connection).map { String(cString: $0) } ?? "SQLite failed")
        }
    }
}
