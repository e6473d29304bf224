import CFiles
import MAMProtection
import MAMSupport

/// A copy of the rollback counter in a file of its own, which survives the replacement of the database.
///
/// It is written after the commit, without fsync. After a crash it may be lower than the database's counter but never higher, so
/// that a current state is never reported as rolled back. A torn, missing or foreign copy counts as 0.
final class CounterFile {
    static let fileName = "counter"
    private static let length = 80  // sealed: salt 24, commitment 32, counter 8, tag 16
    private let file: Int32
    private var seen: [UInt8] = []
    private var value: Int64 = 0

    init(_ directory: StateDirectory) throws(MAMError) {
        var descriptor: Int32 = -1
        let result = files_open_or_create_at(directory.descriptor, CounterFile.fileName, &descriptor)
        guard result == 0 else {
            throw .system(result, "open it", path: "\(directory.path)/\(CounterFile.fileName)")
        }
        file = descriptor
    }

    deinit { files_close(file) }

    /// Return the sealed content. To be read before the database, so that it cannot be ahead of it.
    func read() -> [UInt8] {
        // Bytes after the record are ignored.
        var bytes = [UInt8](repeating: 0, count: CounterFile.length)
        var count = 0
        let result = files_pread(file, &bytes, bytes.count, 0, &count)
        return result == 0 && count == CounterFile.length ? bytes : []
    }

    /// The counter; 0 where it does not verify.
    func open(_ sealed: [UInt8], _ key: SealingKey) -> Int64 {
        guard sealed != seen else { return value }
        seen = sealed
        let digits = sealed.isEmpty ? nil : try? seal(key).open(bytes: sealed, id: [], column: "copy")
        value = Int64(bitPattern: (digits ?? []).reduce(0) { $0 << 8 | UInt64($1) })
        return value
    }

    /// Write a counter. After a failure the file keeps a lower one.
    func write(_ counter: Int64, _ key: SealingKey) {
        let number = UInt64(bitPattern: counter)
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        guard let sealed = try? seal(key).seal(bytes: digits, id: [], column: "copy") else { return }
        var count = 0
        guard files_pwrite(file, sealed, sealed.count, 0, &count) == 0 else { return }
        (seen, value) = (sealed, counter)
    }

    private func seal(_ key: SealingKey) -> RowSeal { RowSeal(key: key, table: "counter") }
}
