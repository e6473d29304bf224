import CEncryptedSQLite
import CProcess
import CSQLite
import CSealing
import Glibc
import MAMProtection

/// The pages of an encrypted database and the frames of its log; docs/sqlite.md.
///
/// The first byte of an input is its form: 0, a log as it is on the disk; 1, frames that are sealed here, each four bytes; 2,
/// changes to the sealed database.
final class DatabaseLogFuzzer: @unchecked Sendable {
    static let shared = DatabaseLogFuzzer()

    private static let pageSize = 512
    private static let reserved = 32
    private static let epochs: [UInt32: DataKey] = [
        1: FuzzKeys.dataKey(epoch: 1, byte: 1), 2: FuzzKeys.dataKey(epoch: 2, byte: 2),
    ]
    private static let salt = Array("MAM".utf8) + [3] + [UInt8](repeating: 0x5a, count: 12)

    private let plain: [UInt8]
    private let sealed: [UInt8]
    private let path: String

    private init() {
        plain = DatabaseLogFuzzer.makeDatabase()
        let size = DatabaseLogFuzzer.pageSize
        sealed = (0..<plain.count / size).flatMap { [plain] in
            DatabaseLogFuzzer.sealPage(Array(plain[$0 * size..<($0 + 1) * size]), number: UInt32($0 + 1), epoch: 1)
        }
        path = Workspace.shared.path + "/notes.db"
        DatabaseLogFuzzer.register()
    }

    func run(_ input: [UInt8]) {
        guard let form = input.first else { return }
        let rest = Array(input.dropFirst())
        var database = sealed
        var log: [UInt8] = []
        switch form {
        case 0: log = rest
        case 1: log = makeLog(rest)
        default: change(&database, rest)
        }
        Workspace.shared.delete("notes.db-shm")
        Workspace.shared.write(log, to: "notes.db-wal")
        Workspace.shared.write(database, to: "notes.db")
        use()
    }

    private func use() {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, "fuzz") == SQLITE_OK else { return }
        for statement in [
            "SELECT count(*), sum(length(b)) FROM t", "PRAGMA mam_former_pages", "INSERT INTO t VALUES (7, 'new')",
            "PRAGMA wal_checkpoint(FULL)", "UPDATE t SET b = b || 'x' WHERE a < 5", "PRAGMA wal_checkpoint(TRUNCATE)",
            "PRAGMA integrity_check",
        ] { sqlite3_exec(connection, statement, nil, nil, nil) }
    }

    private func change(_ database: inout [UInt8], _ bytes: [UInt8]) {
        var program = Input(bytes)
        while !program.isAtEnd {
            let start = Int(program.number(size: 2)) % database.count
            for (index, byte) in program.bytes(Int(program.byte())).enumerated() where start + index < database.count {
                database[start + index] = byte
            }
        }
    }

    // MARK: The log

    /// A log of frames: number of the page, pages after a commit, flags, and which byte of the page differs.
    private func makeLog(_ bytes: [UInt8]) -> [UInt8] {
        var program = Input(bytes)
        let mode = program.byte()
        let size = mode & 1 == 0 ? UInt64(DatabaseLogFuzzer.pageSize) : program.number(size: 4)
        let epoch: UInt32 = mode & 2 == 0 ? 1 : 2
        var preamble =
            Array("MAM".utf8) + [4, 1, 0, 0, 0] + bigEndian(UInt64(epoch), size: 4) + bigEndian(size, size: 4)
        preamble += [UInt8](repeating: 0xa5, count: 16) + sealed.prefix(16)
        let key = DatabaseLogFuzzer.derive(epoch, "libmam v1 sqlite journal", preamble)
        var sums = Checksum()
        var header: [UInt8] = [0x37, 0x7f, 0x06, 0x82] + bigEndian(3_007_000, size: 4) + bigEndian(size, size: 4)
        header += [0, 0, 0, 1] + [1, 2, 3, 4] + [5, 6, 7, 8]
        sums.add(header)
        var log = preamble + DatabaseLogFuzzer.sealRecord(header + sums.bytes, number: 0, key: key)
        var number: UInt64 = 1
        while !program.isAtEnd, number <= 64 {
            let (pageNumber, commit, flags, place) = (program.byte(), program.byte(), program.byte(), program.byte())
            var page = plainPage(Int(pageNumber))
            page[Int(place) * 2] ^= flags >> 4
            let isOther = flags & 2 != 0
            let sealedPage = DatabaseLogFuzzer.sealPage(
                page, number: UInt32(pageNumber) + (isOther ? 1 : 0), epoch: flags & 4 != 0 ? 2 : 1)
            var head =
                bigEndian(UInt64(pageNumber), size: 4) + bigEndian(UInt64(commit), size: 4) + [1, 2, 3, 4, 5, 6, 7, 8]
            sums.add(head.prefix(8))
            sums.add(flags & 1 != 0 ? sealedPage : page)
            head += flags & 8 != 0 ? [UInt8](repeating: 0, count: 8) : sums.bytes
            log += DatabaseLogFuzzer.sealRecord(head + [flags & 1], number: number, key: key) + sealedPage
            number += 1
        }
        return log
    }

    /// A page of the database; zeros where it has none of that number.
    private func plainPage(_ number: Int) -> [UInt8] {
        let size = DatabaseLogFuzzer.pageSize
        guard number > 0, number * size <= plain.count else { return [UInt8](repeating: 0, count: size) }
        return Array(plain[(number - 1) * size..<number * size])
    }

    /// The checksum of SQLite's logs over words in little-endian order.
    private struct Checksum {
        private var sums: (UInt32, UInt32) = (0, 0)
        var bytes: [UInt8] { bigEndian(UInt64(sums.0), size: 4) + bigEndian(UInt64(sums.1), size: 4) }

        mutating func add(_ bytes: some Collection<UInt8>) {
            let bytes = Array(bytes)
            func word(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) } }
            for at in stride(from: 0, to: bytes.count - 7, by: 8) {
                sums.0 = sums.0 &+ word(at) &+ sums.1
                sums.1 = sums.1 &+ word(at + 4) &+ sums.0
            }
        }
    }

    // MARK: Sealing

    private static func derive(_ epoch: UInt32, _ purpose: String, _ more: [UInt8]) -> [UInt8] {
        let info = Array(purpose.utf8) + [0] + more
        var key = [UInt8](repeating: 0, count: Int(SEALING_KEY))
        _ = info.withUnsafeBytes { epochs[epoch]?.expand($0, into: &key) }
        return key
    }

    private static func sealRecord(_ plain: [UInt8], number: UInt64, key: [UInt8]) -> [UInt8] {
        let nonce = bigEndian(number, size: Int(SEALING_NONCE))
        var sealed = [UInt8](repeating: 0, count: plain.count + Int(SEALING_TAG))
        _ = sealing_gcm_seal(key, nonce, bigEndian(number, size: 8), 8, plain, plain.count, &sealed)
        return sealed[..<plain.count] + nonce + sealed[plain.count...]
    }

    private static func sealPage(_ page: [UInt8], number: UInt32, epoch: UInt32) -> [UInt8] {
        let clear = number == 1 ? salt + page[16..<24] : []
        let extra = bigEndian(UInt64(number), size: 4) + bigEndian(UInt64(page.count), size: 4) + clear
        let nonce = bigEndian(UInt64(number), size: Int(SEALING_NONCE))
        let plain = Array(page[clear.count..<page.count - reserved])
        var sealed = [UInt8](repeating: 0, count: plain.count + Int(SEALING_TAG))
        let key = derive(epoch, "libmam v1 sqlite database", salt)
        _ = sealing_gcm_seal(key, nonce, extra, extra.count, plain, plain.count, &sealed)
        return clear + sealed[..<plain.count] + nonce + sealed[plain.count...] + bigEndian(UInt64(epoch), size: 4)
    }

    // MARK: SQLite

    /// A plain database in the mode of logs, with room at the end of each page.
    private static func makeDatabase() -> [UInt8] {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        var bytes = Int32(reserved)
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes) == SQLITE_OK
        else { fatalError("no database") }
        let rows = (0..<24).map { "(\($0), '\(String(repeating: "note ", count: 6))\($0)')" }.joined(separator: ",")
        sqlite3_exec(
            connection, "PRAGMA page_size = \(pageSize); CREATE TABLE t (a, b); INSERT INTO t VALUES \(rows)", nil, nil,
            nil)
        var length: Int64 = 0
        guard let image = sqlite3_serialize(connection, "main", &length, 0) else { fatalError("no database") }
        defer { sqlite3_free(image) }
        var database = Array(UnsafeBufferPointer(start: image, count: Int(length)))
        (database[18], database[19]) = (2, 2)
        return database
    }

    private static func register() {
        // No session has the token, so that each question is answered by `refresh` and the words are not read.
        let words = UnsafeMutablePointer<shared_words_t>.allocate(capacity: 1)
        words.initialize(to: shared_words_t())
        let calls = encrypted_calls_t(
            context: words, writes_plain: false,
            refresh: { _, _ in Int32(ENCRYPTED_OPEN) }, authorize: { _, _ in Int32(ENCRYPTED_OPEN) },
            derive: { _, epoch, info, length, key in
                if epoch.pointee == 0 { epoch.pointee = 2 }
                guard let data = DatabaseLogFuzzer.epochs[epoch.pointee] else { return Int32(ENCRYPTED_NO_KEY) }
                _ = data.expand(UnsafeRawBufferPointer(start: info, count: length), into: key)
                return Int32(ENCRYPTED_OPEN)
            },
            reserve: { _ in 1 << 40 }, report: { _, _, _, _ in }, release: { _ in })
        var isTaken = false
        guard let access = encrypted_register("fuzz", 0, words, calls, &isTaken) else { fatalError("no file system") }
        encrypted_publish(access, 1, true, true, 1, false)
    }
}
