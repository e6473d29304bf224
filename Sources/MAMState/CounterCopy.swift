import CPlatform
import MAMProtection
import MAMSupport

/// The counter's copy in a file of its own: what was reached, whatever database lies beside it.
///
/// Written after the commit that reached it is durable, without waiting for the disk: a crash leaves it lower, never higher,
/// so that it never accuses a state that is the newest. What is torn, missing or of another state counts as none.
final class CounterCopy {
    static let fileName = "counter"
    private static let length = 80  // sealed: salt 24, commitment 32, number 8, tag 16
    private let file: Int32
    private var seen: [UInt8] = []
    private var value: Int64 = 0

    init(_ directory: StateDirectory) throws(MAMError) {
        var descriptor: Int32 = -1
        let result = platform_open_or_make_at(directory.descriptor, CounterCopy.fileName, &descriptor)
        guard result == 0 else {
            throw .system(result, "open it", path: "\(directory.path)/\(CounterCopy.fileName)")
        }
        file = descriptor
    }

    deinit { platform_close(file) }

    /// As it lies on the disk. To be read before the database is: then it is not ahead of that.
    func sealed() -> [UInt8] {
        // Bytes behind it are nobody's: they must not hide it.
        var bytes = [UInt8](repeating: 0, count: CounterCopy.length)
        var count = 0
        let result = platform_read_from(file, &bytes, bytes.count, 0, &count)
        return result == 0 && count == CounterCopy.length ? bytes : []
    }

    /// The number in it; 0 where it does not verify.
    func open(_ sealed: [UInt8], _ key: SealingKey) -> Int64 {
        guard sealed != seen else { return value }
        seen = sealed
        let digits = sealed.isEmpty ? nil : try? seal(key).open(bytes: sealed, id: [], column: "copy")
        value = Int64(bitPattern: (digits ?? []).reduce(0) { $0 << 8 | UInt64($1) })
        return value
    }

    /// Write what has been reached; what fails leaves it lower.
    func write(_ counter: Int64, _ key: SealingKey) {
        let number = UInt64(bitPattern: counter)
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        guard let sealed = try? seal(key).seal(bytes: digits, id: [], column: "copy") else { return }
        var count = 0
        guard platform_write_to(file, sealed, sealed.count, 0, &count) == 0 else { return }
        (seen, value) = (sealed, counter)
    }

    private func seal(_ key: SealingKey) -> RowSeal { RowSeal(key: key, table: "counter") }
}
