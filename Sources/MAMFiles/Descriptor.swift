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
}
