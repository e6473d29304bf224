import MAMSupport

/// What an owned file says of its owner, in the extended attribute ``attribute``: account and app, authenticated with the
/// group's key, so that it can be verified when the account's keys are gone. docs/formats.md.
///
/// It is bound to no file: a copy that keeps it, or a restored one, is owned as well.
public struct FileLabel: Equatable, Sendable {
    /// The attribute's name.
    public static let attribute = "user.mam.owner"
    /// More bytes than any label has.
    public static let maximumLength = fixedLength + 2 * partMaximum + LabelKey.macLength

    /// UTF-8; empty for no user.
    public let account: [UInt8]
    /// The app whose account it is.
    public let app: [UInt8]

    /// A label that is to be written.
    public init(account: [UInt8], app: [UInt8]) {
        self.account = account
        self.app = app
    }

    /// What the bytes of an attribute turn out to be.
    public enum Reading: Equatable, Sendable {
        /// The group's key made it.
        case verified(FileLabel)
        /// Another group's key did, so that nobody here can tell.
        case foreign(FileLabel)
        /// It was changed, or was never a label.
        case damaged
    }

    private static let magic: [UInt8] = Array("MAMO".utf8) + [1, 0]
    private static let fixedLength = 26  // magic 6, account length 2, app length 2, key id 16
    private static let partMaximum = 1024

    /// The attribute's bytes.
    public func bytes(_ key: LabelKey) throws(MAMError) -> [UInt8] {
        guard account.count <= FileLabel.partMaximum, app.count <= FileLabel.partMaximum else {
            throw MAMError(.argument, "account and app of a label have at most \(FileLabel.partMaximum) bytes")
        }
        var bytes = FileLabel.magic
        for count in [account.count, app.count] {
            bytes.append(UInt8(truncatingIfNeeded: count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: count))
        }
        bytes += key.id + account + app
        return bytes + key.mac(bytes)
    }

    /// Read an attribute.
    public static func read(_ bytes: [UInt8], _ key: LabelKey) -> Reading {
        guard bytes.count >= fixedLength, bytes.starts(with: magic) else { return .damaged }
        let account = Int(bytes[6]) << 8 | Int(bytes[7])
        let app = Int(bytes[8]) << 8 | Int(bytes[9])
        let end = fixedLength + account + app
        guard account <= partMaximum, app <= partMaximum, bytes.count == end + LabelKey.macLength else {
            return .damaged
        }
        let names = bytes[fixedLength..<end]
        let label = FileLabel(account: Array(names.prefix(account)), app: Array(names.suffix(app)))
        guard label.account.isUTF8, label.app.isUTF8 else { return .damaged }
        guard bytes[10..<fixedLength].elementsEqual(key.id) else { return .foreign(label) }
        return key.matches(Array(bytes[..<end]), mac: Array(bytes[end...])) ? .verified(label) : .damaged
    }
}

extension LabelKey {
    static let macLength = 32

    /// HMAC-SHA-256 of bytes that begin as nothing else does which this key authenticates.
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

    /// A number that stands for a path in the state, and tells nothing of it to whom the key is not known.
    public func placeNumber(of path: [UInt8]) -> [UInt8] { Array(mac(Array("MAMP".utf8) + path).prefix(16)) }
}
