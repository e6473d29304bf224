import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file by its name in a directory that is held open: nobody can move the ground between two looks at it. The last part of
/// the path is not followed where it is a link.
struct Spot {
    let directory: Descriptor
    /// The directory's path without links.
    let directoryPath: [UInt8]
    let name: [CChar]
    /// As the host wrote it, for messages.
    let shown: String

    /// Find a path's place.
    init(_ path: FilePath) throws(MAMError) {
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
        guard result == 0 else { throw .file(result, "find it", path: shown) }
        var directory = Descriptor(parent)
        var directoryPath = try directory.path(shown)
        if path.characters.indices.contains(at) {
            name = Array(path.characters[at...])
        } else {
            // The directory itself, by whatever name: its own is the last part of where it is.
            guard let slash = directoryPath.lastIndex(of: UInt8(ascii: "/")), slash + 1 < directoryPath.count else {
                throw .argument("path", "is the root directory", originalCode: 101)
            }
            name = FilePath(parts: [], Array(directoryPath[(slash + 1)...])).characters
            directoryPath = slash == 0 ? [UInt8(ascii: "/")] : Array(directoryPath[..<slash])
            directory = try Spot.open(directoryPath, shown)
        }
        self.directory = directory
        self.directoryPath = directoryPath
    }

    init(directory: Descriptor, directoryPath: [UInt8], name: [CChar]) {
        self.directory = directory
        self.directoryPath = directoryPath
        self.name = name
        shown = FilePath(parts: directoryPath, name.dropLast().map { UInt8(bitPattern: $0) }).text
    }

    /// A directory by its path without links; `.unsupported` where a link came into it.
    static func open(_ path: [UInt8], _ shown: String) throws(MAMError) -> Descriptor {
        var descriptor: Int32 = -1
        let result = platform_open_exactly(FilePath(parts: path, []).characters, &descriptor)
        guard result == 0 else { throw .file(result, "open the directory", path: shown) }
        return Descriptor(descriptor)
    }

    var nameBytes: [UInt8] { name.dropLast().map { UInt8(bitPattern: $0) } }
    /// Where it is, without links.
    var path: [UInt8] { FilePath(parts: directoryPath, nameBytes).bytes }

    /// What lies there, without following a link.
    func entry() throws(MAMError) -> platform_entry_t {
        var entry = platform_entry_t()
        let result = platform_entry_at(directory.number, name, &entry)
        guard result == 0 else { throw .file(result, "look at it", path: shown) }
        guard entry.isFile || entry.isDirectory else {
            throw .file(Int32(entry.isLink ? PLATFORM_ELOOP : PLATFORM_EINVAL), "tell whose it is", path: shown)
        }
        return entry
    }

    /// Open what lies there, a file or a directory.
    func open() throws(MAMError) -> (Descriptor, platform_entry_t) {
        var descriptor: Int32 = -1
        var entry = platform_entry_t()
        let result = platform_open_entry(directory.number, name, &descriptor, &entry)
        guard result == 0 else { throw .file(result, "open it", path: shown) }
        return (Descriptor(descriptor, isHostFile: true), entry)
    }
}

extension platform_entry_t {
    var isFile: Bool { mode & 0o170000 == 0o100000 }
    var isDirectory: Bool { mode & 0o170000 == 0o040000 }
    var isLink: Bool { mode & 0o170000 == 0o120000 }
    var number: FileNumber { FileNumber(device: device, inode: inode, born: born) }
}
