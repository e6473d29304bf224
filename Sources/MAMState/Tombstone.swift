import MAMPolicy
import MAMSupport

/// The content of a share's file during a wipe: 32 bytes with "MAMWIPED", the reason, and the id of the authority's request.
///
/// It overwrites the share in a single write, which destroys the key and records the wipe: after a kill nothing of the account
/// opens, and the next process continues the wipe. A file that cannot be written is replaced by a symbolic link with the tombstone
/// in hexadecimal.
public struct Tombstone: Sendable {
    /// The reason of the wipe.
    public let reason: WipeReason
    /// The id of the authority's wipe request.
    public let wipe: Int64?

    private static let magic = Array("MAMWIPED".utf8)

    /// A tombstone; `wipe` is nil without a request of the authority.
    public init(reason: WipeReason, wipe: Int64?) {
        self.reason = reason
        self.wipe = wipe
    }

    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == KeyShareStore.length, bytes.prefix(8).elementsEqual(Tombstone.magic) else { return nil }
        reason = WipeReason(number: bytes[8])
        wipe = bytes[9] == 0 ? nil : Int64(bitPattern: bytes[10..<18].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Decode the target of a link.
    init?(link: String) {
        guard let bytes = MAMSupport.bytes(hexadecimal: link),
            let tombstone = bytes.withUnsafeBytes({ Tombstone(bytes: $0) })
        else { return nil }
        self = tombstone
    }

    /// The target of a link.
    var link: String { hexadecimal(bytes) }

    /// Magic, reason, whether there is a request, the request in big-endian, and zeros. Encoding cannot fail.
    var bytes: [UInt8] {
        let request = UInt64(bitPattern: wipe ?? 0)
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: request >> (56 - 8 * UInt64($0))) }
        return Tombstone.magic + [reason.number, wipe == nil ? 0 : 1] + digits
            + [UInt8](repeating: 0, count: KeyShareStore.length - 18)
    }
}

extension WipeReason {
    /// The reason of a number in a tombstone; ``host`` for an unknown number.
    fileprivate init(number: UInt8) {
        self = WipeReason.allCases.indices.contains(Int(number)) ? WipeReason.allCases[Int(number)] : .host
    }

    /// The number in a tombstone.
    fileprivate var number: UInt8 { UInt8(WipeReason.allCases.firstIndex(of: self) ?? 0) }
}
