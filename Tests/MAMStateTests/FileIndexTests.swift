import MAMSupport
import Testing

@testable import MAMState

@Suite("the index of owned files")
struct FileIndexTests {
    private let a = FileID(device: 1, inode: 2, birthTime: 3)

    @Test("a file is the same by its number and the time it was made")
    func sameness() {
        #expect(
            a.isSame(FileID(device: 9, inode: 2, birthTime: 3)), "device numbers change at each start of the system")
        #expect(!a.isSame(FileID(device: 1, inode: 2, birthTime: 4)), "a number is used again")
        #expect(!a.isSame(FileID(device: 1, inode: 3, birthTime: 3)))
        let unknown = FileID(device: 1, inode: 2, birthTime: 0)
        #expect(unknown.isSame(unknown) && !unknown.isSame(FileID(device: 9, inode: 2, birthTime: 0)))
        #expect(!unknown.isSame(a))
    }

    @Test("bytes that no row is made of are none")
    func rows() {
        let file = FileIndexEntry(
            account: AccountRowID([UInt8](repeating: 7, count: 16)), owner: [1, 2], app: [3], fileID: a,
            name: [0xFF, 10])
        #expect(FileIndexEntry(bytes: file.bytes) == file)
        for count in file.bytes.indices { #expect(FileIndexEntry(bytes: Array(file.bytes[..<count])) == nil) }
        #expect(FileIndexEntry(bytes: file.bytes + [0]) == nil)
        #expect(FileIndexEntry(bytes: [2] + file.bytes.dropFirst()) == nil)
    }

    @Test("rows are found by name and number, counted, and not believed once they are edited")
    func store() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let account = AccountRowID([UInt8](repeating: 7, count: 16))
        let file = FileIndexEntry(account: account, owner: [1], app: [2], fileID: a, name: [0x61])
        let directory = try state.write { (view) throws(MAMError) in
            let directory = try view.files.makeDirectory(Array("/somewhere".utf8))
            try view.files.put(file, in: directory)
            return directory
        }
        try state.read { (view, _) throws(MAMError) in
            #expect(try view.files.find([0x61], in: directory)?.file == file)
            #expect(try view.files.find([0x62], in: directory) == nil)
            #expect(try view.files.find(inode: 2).compactMap(\.file) == [file])
            #expect(try view.files.path(of: directory) == Array("/somewhere".utf8))
            var checksum = InodeChecksum()
            checksum.add(2)
            #expect(try view.files.checksums(of: account) == [directory: checksum])
        }
        try state.write { (view) throws(MAMError) in
            try view.database.execute("UPDATE files SET inode = 5; UPDATE directories SET record = x'00'")
        }
        try state.read { (view, _) throws(MAMError) in
            let edited = try view.files.find([0x61], in: directory)
            #expect(edited != nil && edited?.file == nil)
            #expect(try view.files.path(of: directory) == nil)
        }
        try state.write { (view) throws(MAMError) in
            try view.files.removeAll(of: account)
            #expect(try view.files.checksums(of: account).isEmpty)
        }
    }
}
