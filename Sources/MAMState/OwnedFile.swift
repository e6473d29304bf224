import MAMSupport

/// Which file of a computer: what stays the same when it is renamed.
public struct FileNumber: Equatable, Sendable {
    /// The file system's number; another one after a restart, perhaps.
    public let device: UInt64
    /// The file's number in it; given to another file once this one is gone.
    public let inode: UInt64
    /// When it was made, in nanoseconds; 0 where the file system does not say.
    public let born: Int64

    /// Of a file.
    public init(device: UInt64, inode: UInt64, born: Int64) {
        self.device = device
        self.inode = inode
        self.born = born
    }

    /// Whether it is the same file: by the time it was made, where both are known, since numbers are used again.
    public func isSame(_ other: FileNumber) -> Bool {
        guard inode == other.inode else { return false }
        return born != 0 && other.born != 0 ? born == other.born : device == other.device && born == other.born
    }
}

/// One row of the index of owned files.
public struct OwnedFile: Equatable, Sendable {
    /// The row of the account that manages it; nil where nobody does.
    public let account: AccountRowID?
    /// The owner's name, as its label says it; empty for no user.
    public let owner: [UInt8]
    /// The app whose account it is.
    public let app: [UInt8]
    /// Which file.
    public let number: FileNumber
    /// Its name in its directory.
    public let name: [UInt8]

    /// A file and whose it is.
    public init(account: AccountRowID?, owner: [UInt8], app: [UInt8], number: FileNumber, name: [UInt8]) {
        self.account = account
        self.owner = owner
        self.app = app
        self.number = number
        self.name = name
    }

    var accountBytes: [UInt8] { account?.bytes ?? [] }

    /// What is sealed: everything, the columns in the clear as well.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        for value in [number.device, number.inode, UInt64(bitPattern: number.born)] { bytes += bigEndian(value) }
        for part in [accountBytes, owner, app, name] {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        return bytes
    }

    /// nil for bytes that no row is made of.
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
            number: FileNumber(device: value(1), inode: value(9), born: Int64(bitPattern: value(17))), name: parts[3])
    }
}

/// The eight bytes of a number.
func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
