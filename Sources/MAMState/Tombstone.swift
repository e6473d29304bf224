import MAMSupport

/// What stands in a share file from the first instant of a wipe: 32 bytes, "MAMWIPED", why, and the authority's request.
///
/// Written over the share in one piece, it destroys the key and promises the wipe at once: a process killed right after
/// leaves nothing that opens, and whoever comes next carries the wipe on. Where the file cannot be written, a link takes its
/// place whose target is the same in hexadecimal digits.
public struct Tombstone: Sendable {
    /// administrator, host, deregistration, pin, conditionalLaunch or offline.
    public let reason: String
    /// The authority's wipe request.
    public let wipe: Int64?

    private static let magic = Array("MAMWIPED".utf8)
    private static let reasons = ["host", "administrator", "deregistration", "pin", "conditionalLaunch", "offline"]

    /// A reason, and the authority's request where there is one.
    public init(reason: String, wipe: Int64?) {
        self.reason = reason
        self.wipe = wipe
    }

    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == ShareStore.length, bytes.prefix(8).elementsEqual(Tombstone.magic) else { return nil }
        let number = Int(bytes[8])
        reason = Tombstone.reasons.indices.contains(number) ? Tombstone.reasons[number] : "host"
        wipe = bytes[9] == 0 ? nil : Int64(bitPattern: bytes[10..<18].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// From the target of a link.
    init?(link: String) {
        guard let bytes = MAMSupport.bytes(hexadecimal: link),
            let tombstone = bytes.withUnsafeBytes({ Tombstone(bytes: $0) })
        else { return nil }
        self = tombstone
    }

    /// The target of a link.
    var link: String { hexadecimal(bytes) }

    /// Magic, reason, whether there is a request, the request big-endian, and zeros to the share's length: nothing that the
    /// system could fail to give.
    var bytes: [UInt8] {
        let number = UInt8(Tombstone.reasons.firstIndex(of: reason) ?? 0)
        let request = UInt64(bitPattern: wipe ?? 0)
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: request >> (56 - 8 * UInt64($0))) }
        return Tombstone.magic + [number, wipe == nil ? 0 : 1] + digits
            + [UInt8](repeating: 0, count: ShareStore.length - 18)
    }
}
