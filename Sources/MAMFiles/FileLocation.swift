import CFiles
import MAMProtection
import MAMState
import MAMSupport

/// A name in an open directory. Its ancestors may be renamed without effect between two uses. A symbolic link as last component is
/// not followed.
public struct FileLocation: Sendable {
    let directory: Descriptor
    /// The path of the directory without links.
    let directoryPath: [UInt8]
    let name: [CChar]
    /// The path as the host gave it.
    public let givenPath: FilePath
    /// The path for messages.
    public let displayPath: String

    /// Find the location of a path.
    public init(_ path: FilePath) throws(MAMError) {
        givenPath = path
        displayPath = path.text
        var parent: Int32 = -1
        var at = 0
        let result = path.characters.withUnsafeBufferPointer { characters -> Int32 in
            guard let start = characters.baseAddress else { return Int32(FILES_ENOENT) }
            var name: UnsafePointer<CChar>?
            let result = files_open_parent(start, &parent, &name)
            at = name.map { $0 - start } ?? -1
            return result
        }
        do throws(MAMError) { try check(result, "find its directory", displayPath) } catch {
            guard error.code == .notFound else { throw error }
            throw MAMError(error.code, error.message, error.detail, for: .errorPlace)
        }
        var directory = Descriptor(parent)
        var directoryPath = try directory.path(displayPath)
        if path.characters.indices.contains(at) {
            name = Array(path.characters[at...])
        } else {
            // The path leads to the directory itself ("."), whose name is the last component of its real path.
            guard let (above, last) = FilePath.split(directoryPath) else {
                throw .argument(
                    "path", "is the root directory", originalCode: .invalidArguments, for: .errorPlace)
            }
            (directoryPath, name) = (above, last)
            directory = try FileLocation.open(directoryPath, displayPath)
        }
        self.directory = directory
        self.directoryPath = directoryPath
    }

    init(directory: Descriptor, directoryPath: [UInt8], name: [CChar]) {
        self.directory = directory
        self.directoryPath = directoryPath
        self.name = name
        givenPath = FilePath(parts: directoryPath, name.dropLast().map { UInt8(bitPattern: $0) })
        displayPath = givenPath.text
    }

    /// Open a directory by a path without links. Fails with `.unsupported` if a component has become a link.
    static func open(_ path: [UInt8], _ displayPath: String) throws(MAMError) -> Descriptor {
        var descriptor: Int32 = -1
        try check(
            files_open_without_links(FilePath(parts: path, []).characters, &descriptor), "open the directory",
            displayPath)
        return Descriptor(descriptor)
    }

    var nameBytes: [UInt8] { name.dropLast().map { UInt8(bitPattern: $0) } }
    /// The path without links.
    var path: [UInt8] { FilePath(parts: directoryPath, nameBytes).bytes }

    /// The status of the file or directory, without following a link.
    func entry() throws(MAMError) -> files_entry_t {
        var entry = files_entry_t()
        try check(files_entry_at(directory.number, name, &entry), "look at it", displayPath)
        guard entry.isFile || entry.isDirectory else {
            throw .notRegular("read the owner", displayPath, mode: entry.mode)
        }
        return entry
    }

    /// Whether this location refers to an open file.
    func refers(to descriptor: Descriptor) -> Bool { files_is_at(descriptor.number, directory.number, name) }
}

extension files_entry_t {
    var isFile: Bool { mode & 0o170000 == 0o100000 }
    var isDirectory: Bool { mode & 0o170000 == 0o040000 }
    var fileID: FileID { FileID(device: device, inode: inode, birthTime: born) }
}
