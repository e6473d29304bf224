import CPlatform
import MAMSupport

/// A descriptor that is closed with the last who holds it.
public final class Descriptor: Sendable {
    /// The number.
    public let number: Int32
    private let isHostFile: Bool

    /// `isHostFile`: the host may hold locks on it, which closing it must not drop.
    init(_ number: Int32, isHostFile: Bool = false) {
        self.number = number
        self.isHostFile = isHostFile
    }

    deinit { if isHostFile { platform_close_kindly(number) } else { platform_close(number) } }

    /// Its path, without links.
    func path(_ shown: String) throws(MAMError) -> [UInt8] {
        var path = [CChar](repeating: 0, count: 4096 + 256)
        try check(platform_path_of(number, &path, path.count), "find where it is", shown)
        return path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Its first bytes, so many at most.
    func beginning(_ limit: Int, _ shown: String) throws(MAMError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        let result = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { platform_peek(number, $0, memory.count, &count) } ?? 0
        }
        try check(result, "read it", shown)
        return Array(bytes.prefix(count))
    }
}
