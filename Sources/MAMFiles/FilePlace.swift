import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file by its name in a directory that is held open: what lies above may be renamed, and nobody can move the ground between
/// two looks at it. The last part of the path is not followed where it is a link.
public struct FilePlace: Sendable {
    let directory: Descriptor
    /// The directory's path without links.
    let directoryPath: [UInt8]
    let name: [CChar]
    /// As the host wrote it.
    public let written: FilePath
    /// The same for messages.
    public let shown: String

    /// Find a path's place.
    public init(_ path: FilePath) throws(MAMError) {
        written = path
        shown = path.text
        var parent: Int32 = -1
        var at = 0
        let result = path.characters.withUnsafeBufferPointer { characters -> Int32 in
            guard let start = characters.baseAddress else { return Int32(PLATFORM_ENOENT) }
            var name: UnsafePointer<CChar>?
            let result = platform_open_parent(start, &parent, &name)
            at = name.map { $0 - start } ?? -1
            return result
        }
        try check(result, "find its directory", shown)
        var directory = Descriptor(parent)
        var directoryPath = try directory.path(shown)
        if path.characters.indices.contains(at) {
            name = Array(path.characters[at...])
        } else {
            // The directory itself, by whatever name: its own is the last part of where it is.
            guard let (above, last) = FilePath.split(directoryPath) else {
                throw .argument("path", "is the root directory", originalCode: 101)
            }
            (directoryPath, name) = (above, last)
            directory = try FilePlace.open(directoryPath, shown)
        }
        self.directory = directory
        self.directoryPath = directoryPath
    }

    init(directory: Descriptor, directoryPath: [UInt8], name: [CChar]) {
        self.directory = directory
        self.directoryPath = directoryPath
        self.name = name
        written = FilePath(parts: directoryPath, name.dropLast().map { UInt8(bitPattern: $0) })
        shown = written.text
    }

    /// A directory by its path without links; `.unsupported` where a link came into it.
    static func open(_ path: [UInt8], _ shown: String) throws(MAMError) -> Descriptor {
        var descriptor: Int32 = -1
        try check(
            platform_open_exactly(FilePath(parts: path, []).characters, &descriptor), "open the directory", shown)
        return Descriptor(descriptor)
    }

    var nameBytes: [UInt8] { name.dropLast().map { UInt8(bitPattern: $0) } }
    /// Where it is, without links.
    var path: [UInt8] { FilePath(parts: directoryPath, nameBytes).bytes }

    /// What lies there, without following a link: a file or a directory.
    func entry() throws(MAMError) -> platform_entry_t {
        var entry = platform_entry_t()
        try check(platform_entry_at(directory.number, name, &entry), "look at it", shown)
        guard entry.isFile || entry.isDirectory else {
            throw .notRegular("tell whose it is", shown, mode: entry.mode)
        }
        return entry
    }

    /// Whether an open file is what lies there.
    func isPlace(of descriptor: Descriptor) -> Bool { platform_is_at(descriptor.number, directory.number, name) }
}

extension platform_entry_t {
    var isFile: Bool { mode & 0o170000 == 0o100000 }
    var isDirectory: Bool { mode & 0o170000 == 0o040000 }
    var number: FileNumber { FileNumber(device: device, inode: inode, born: born) }
}
