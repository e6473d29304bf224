import MAMSupport

/// The identity of a file, which survives a rename.
public struct FileID: Equatable, Sendable {
    /// The device number; may differ after a restart.
    public let device: UInt64
    /// The inode number; reused after the file was deleted.
    public let inode: UInt64
    /// The time of creation in nanoseconds; 0 where the file system does not record it.
    public let birthTime: Int64

    /// The identity of a file.
    public init(device: UInt64, inode: UInt64, birthTime: Int64) {
        self.device = device
        self.inode = inode
        self.birthTime = birthTime
    }

    /// Whether both are of the same file. Birth times decide where both are known, since inode numbers are reused.
    public func isSame(_ other: FileID) -> Bool {
        guard inode == other.inode else { return false }
        return birthTime != 0 && other.birthTime != 0
            ? birthTime == other.birthTime : device == other.device && birthTime == other.birthTime
    }
}

/// An entry of the index of owned files.
public struct FileIndexEntry: Equatable, Sendable {
    /// The row of the managing account; nil for an unmanaged owner.
    public let account: AccountRowID?
    /// The owner's name as in labels; empty for no user.
    public let owner: [UInt8]
    /// The owner's app.
    public let app: [UInt8]
    /// The file's identity.
    public let fileID: FileID
    /// The name in its directory.
    public let name: [UInt8]

    /// A file with its owner.
    public init(account: AccountRowID?, owner: [UInt8], app: [UInt8], fileID: FileID, name: [UInt8]) {
        self.account = account
        self.owner = owner
        self.app = app
        self.fileID = fileID
        self.name = name
    }

    var accountBytes: [UInt8] { account?.bytes ?? [] }

    /// The sealed content, which repeats the columns in the clear.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        for value in [fileID.device, fileID.inode, UInt64(bitPattern: fileID.birthTime)] { bytes += bigEndian(value) }
        for part in [accountBytes, owner, app, name] {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        return bytes
    }

    /// Fails for malformed bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count >= 25, bytes[0] == 1 else { return nil }
        func value(_ at: Int) -> UInt64 { bytes[at..<at + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        var parts: [[UInt8]] = []
        var at = 25
        while parts.count < 4 {
            guard bytes.count - at >= 2 else { return nil }
            let count = Int(bytes[at]) << 8 | Int(bytes[at + 1])
            at += 2
            guard bytes.count - at >= count else { return nil }
            parts.append(Array(bytes[at..<at + count]))
            at += count
        }
        guard at == bytes.count, parts[0].isEmpty || parts[0].count == 16 else { return nil }
        self.init(
            account: parts[0].isEmpty ? nil : AccountRowID(parts[0]), owner: parts[1], app: parts[2],
            fileID: FileID(device: value(1), inode: value(9), birthTime: Int64(bitPattern: value(17))), name: parts[3])
    }
}

/// Returns a number as eight big-endian bytes.
func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
