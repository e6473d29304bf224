import MAMSupport

/// Who owns a container and how to open it: everything before its body. Not secret; docs/formats.md.
public struct ContainerHeader: Sendable, Equatable {
    /// Of data that nobody manages: plain bytes and an HMAC.
    public static let labelled: UInt8 = 0
    /// Cobblestone-256.
    public static let sealed: UInt8 = 1

    /// UTF-8, 0 to 256 bytes.
    public let accountId: [UInt8]
    /// 16 bytes.
    public let keyId: [UInt8]
    /// The key's epoch; 0 where labelled.
    public let epoch: UInt32
    /// ``labelled`` or ``sealed``.
    public let algorithm: UInt8
    /// What the container holds.
    public let content: ContentType
    /// How many plain bytes.
    public let length: UInt64

    static let magic: UInt32 = 0x4d41_4d01  // "MAM" 0x01
    static let keyIdLength = 16
    static let accountMaximum = 256
    static let fixedLength = 39  // magic, flags, header length, and the header up to the account id

    /// How many bytes it takes in the container, magic included.
    public var encodedLength: Int { ContainerHeader.fixedLength + accountId.count }
}
