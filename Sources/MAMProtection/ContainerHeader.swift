import MAMSupport

/// The header of a container: its owner, and the key that opens it. Not secret; docs/formats.md.
public struct ContainerHeader: Sendable, Equatable {
    /// Unmanaged data: plain bytes and an HMAC.
    public static let labelled: UInt8 = 0
    /// Cobblestone-256.
    public static let sealed: UInt8 = 1

    /// UTF-8, 0 to 256 bytes.
    public let accountId: [UInt8]
    /// The epoch of the key; 0 where labelled.
    public let epoch: UInt32
    /// ``labelled`` or ``sealed``.
    public let algorithm: UInt8
    /// The type of the content.
    public let content: ContentType
    /// The length of the content; ``unknownLength`` in a container made by a stream.
    public let length: UInt64

    /// The declared length of a container made by a stream, which the chunks or the label determine.
    public static let unknownLength = UInt64.max
    /// The declared length; nil where it is unknown.
    public var declaredLength: UInt64? { length == ContainerHeader.unknownLength ? nil : length }

    let key: KeyID

    /// 16 bytes.
    public var keyId: [UInt8] { key.bytes }
    /// The length of the encoded header, with the magic.
    public var encodedLength: Int { ContainerHeader.fixedLength + accountId.count }
    /// The length of the prefix that verifies the header of a sealed container; the end verifies a labelled one.
    var prefixLength: Int {
        encodedLength + (algorithm == ContainerHeader.sealed ? Cobblestone.overhead : 0)
    }

    /// Whether the header names a data key.
    public func names(_ key: DataKey) -> Bool {
        algorithm == ContainerHeader.sealed && self.key == key.number && epoch == key.epoch
    }

    /// Whether the header names a label key.
    public func names(_ key: LabelKey) -> Bool { algorithm == ContainerHeader.labelled && self.key == key.number }

    static let magic: UInt32 = 0x4d41_4d01  // "MAM" 0x01
    static let magicBytes: [UInt8] = [0x4d, 0x41, 0x4d, 0x01]
    static let accountMaximum = 256
    static let fixedLength = 39  // magic, flags, header length, and the header up to the account id
}
