/// Names of the sidecars of SQLite databases: WAL, journal and shared-memory index, and the copies that libmam's conversions write.
enum DatabaseSidecar {
    private static let endings: [[UInt8]] = ["-wal", "-shm", "-journal"].map { Array($0.utf8) }
    private static let conversion = Array("-mam-new".utf8)
    private static let superJournal = Array("-mj".utf8)

    /// The lengths of the database names whose sidecar may have this name; almost always none.
    static func databases(of name: UnsafeBufferPointer<UInt8>) -> [Int] {
        guard let last = name.last else { return [] }
        if isHexadecimal(last) { return superJournal(name) }
        guard "lmw".utf8.contains(last) else { return [] }
        var lengths: [Int] = []
        var length = name.count
        func cut(_ ending: [UInt8]) {
            guard length > ending.count, name[(length - ending.count)..<length].elementsEqual(ending) else { return }
            length -= ending.count
            lengths.append(length)
        }
        for ending in endings where lengths.isEmpty { cut(ending) }
        cut(conversion)
        return lengths
    }

    /// SQLite's super-journal: "-mj" and nine upper-case hexadecimal digits, the seventh of which is 9.
    private static func superJournal(_ name: UnsafeBufferPointer<UInt8>) -> [Int] {
        let length = name.count - 12
        guard length > 0, name[length..<(length + 3)].elementsEqual(superJournal),
            name[(length + 9)] == UInt8(ascii: "9"), name[(length + 3)...].allSatisfy(isHexadecimal)
        else { return [] }
        return [length]
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
    }

    /// Whether bytes are the beginning of a database, plain or encrypted.
    static func isDatabase(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: "SQLite format 3\0".utf8) || bytes.starts(with: [0x4D, 0x41, 0x4D, 3])
    }

    /// Whether bytes are the beginning of a WAL or journal, plain or encrypted.
    static func isLogOrJournal(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0x4D, 0x41, 0x4D, 4]) || bytes.starts(with: [0x37, 0x7F, 0x06, 0x82])
            || bytes.starts(with: [0x37, 0x7F, 0x06, 0x83])
            || bytes.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    }
}
