import MAMSupport

/// The label of an owned file, in the extended attribute ``attribute``: account and app, authenticated with the group's key, so
/// that it verifies after the account's keys were destroyed; docs/formats.md.
///
/// It is not bound to the file, so that copies and restored backups keep their owner.
public struct FileLabel: Equatable, Sendable {
    /// The name of the attribute.
    public static let attribute = "user.mam.owner"
    /// The longest label.
    public static let maximumLength = fixedLength + 2 * partMaximum + LabelKey.macLength

    /// The account id in UTF-8; empty for no user.
    public let account: [UInt8]
    /// The account's app.
    public let app: [UInt8]
    /// Whether the account was managed when the label was written.
    public let isManaged: Bool

    /// A label.
    public init(account: [UInt8], app: [UInt8], isManaged: Bool) {
        self.account = account
        self.app = app
        self.isManaged = isManaged
    }

    /// The result of decoding an attribute.
    public enum Reading: Equatable, Sendable {
        /// It verifies under the group's key.
        case verified(FileLabel)
        /// It was made with another group's key, and cannot be verified.
        case foreign(FileLabel)
        /// It was changed, or is not a label.
        case damaged
    }

    private static let magic: [UInt8] = Array("MAMO".utf8) + [1]
    private static let fixedLength = 26  // magic 5, managed 1, account length 2, app length 2, key id 16
    private static let partMaximum = 1024

    /// Encode the label for the attribute.
    public func encoded(with key: LabelKey) throws(MAMError) -> [UInt8] {
        guard account.count <= FileLabel.partMaximum, app.count <= FileLabel.partMaximum else {
            throw MAMError(.argument, "account and app of a label have at most \(FileLabel.partMaximum) bytes")
        }
        var bytes = FileLabel.magic + [isManaged ? 1 : 0]
        for count in [account.count, app.count] {
            bytes.append(UInt8(truncatingIfNeeded: count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: count))
        }
        bytes += key.id + account + app
        return bytes + key.mac(bytes)
    }

    /// Decode and verify an attribute.
    public static func verify(_ bytes: [UInt8], with key: LabelKey) -> Reading {
        guard bytes.count >= fixedLength, bytes.starts(with: magic), bytes[5] <= 1 else { return .damaged }
        let account = Int(bytes[6]) << 8 | Int(bytes[7])
        let app = Int(bytes[8]) << 8 | Int(bytes[9])
        let end = fixedLength + account + app
        guard account <= partMaximum, app <= partMaximum, bytes.count == end + LabelKey.macLength else {
            return .damaged
        }
        let names = bytes[fixedLength..<end]
        let label = FileLabel(
            account: Array(names.prefix(account)), app: Array(names.suffix(app)), isManaged: bytes[5] == 1)
        guard isUTF8(label.account.span), isUTF8(label.app.span) else { return .damaged }
        guard bytes[10..<fixedLength].elementsEqual(key.id) else { return .foreign(label) }
        return key.matches(Array(bytes[..<end]), mac: Array(bytes[end...])) ? .verified(label) : .damaged
    }
}

extension LabelKey {
    static let macLength = 32

    /// HMAC-SHA-256. The beginning of `bytes` must be distinct from other uses of this key.
    func mac(_ bytes: [UInt8]) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: LabelKey.macLength)
        bytes.withUnsafeBytes { bytes in
            mac.withUnsafeMutableBytes { out in if let out = out.baseAddress { self.mac(bytes, into: out) } }
        }
        return mac
    }

    func matches(_ bytes: [UInt8], mac: [UInt8]) -> Bool {
        guard mac.count == LabelKey.macLength else { return false }
        return bytes.withUnsafeBytes { bytes in
            mac.withUnsafeBytes { mac in mac.baseAddress.map { matches(bytes, mac: $0) } ?? false }
        }
    }

    /// A keyed hash that stands for a path in the state, and reveals nothing without the key.
    public func pathHash(of path: [UInt8]) -> [UInt8] { Array(mac(Array("MAMP".utf8) + path).prefix(16)) }
}
