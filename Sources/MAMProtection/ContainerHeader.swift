import MAMSupport

/// Who owns a container and how to open it: everything before its body. Not secret; docs/formats.md.
public struct ContainerHeader: Sendable, Equatable {
    /// Of data that nobody manages: plain bytes and an HMAC.
    public static let labelled: UInt8 = 0
    /// Cobblestone-256.
    public static let sealed: UInt8 = 1

    /// UTF-8, 0 to 256 bytes.
    public let accountId: [UInt8]
    /// The key's epoch; 0 where labelled.
    public let epoch: UInt32
    /// ``labelled`` or ``sealed``.
    public let algorithm: UInt8
    /// What the container holds.
    public let content: ContentType
    /// How many plain bytes; ``toldByChunks`` where a stream made the container, which did not know.
    public let length: UInt64

    /// The length of a container whose chunks, or whose label, tell where it ends.
    public static let toldByChunks = UInt64.max
    /// The length that it tells; nil where its chunks do.
    var told: UInt64? { length == ContainerHeader.toldByChunks ? nil : length }

    let key: KeyID

    /// 16 bytes.
    public var keyId: [UInt8] { key.bytes }
    /// How many bytes it takes in the container, magic included.
    public var encodedLength: Int { ContainerHeader.fixedLength + accountId.count }

    /// Whether this key seals what the header names.
    public func names(_ key: DataKey) -> Bool {
        algorithm == ContainerHeader.sealed && self.key == key.number && epoch == key.epoch
    }

    /// Whether this key labels what the header names.
    public func names(_ key: LabelKey) -> Bool { algorithm == ContainerHeader.labelled && self.key == key.number }

    static let magic: UInt32 = 0x4d41_4d01  // "MAM" 0x01
    static let magicBytes: [UInt8] = [0x4d, 0x41, 0x4d, 0x01]
    static let accountMaximum = 256
    static let fixedLength = 39  // magic, flags, header length, and the header up to the account id
}
