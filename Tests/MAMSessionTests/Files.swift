import CFiles
import Glibc
import MAMSupport

/// Make a small file.
func writeFile(_ path: String, _ text: String) throws {
    var directory: Int32 = -1
    let cut = path.lastIndex(of: "/") ?? path.startIndex
    _ = files_open_directory(String(path[..<cut]), &directory)
    defer { files_close(directory) }
    let result = Array(text.utf8).withUnsafeBytes { bytes in
        bytes.baseAddress.map {
            files_create_at(directory, String(path[path.index(after: cut)...]), $0, bytes.count)
        } ?? 0
    }
    guard result == 0 else { throw MAMError.system(result, "make a file", path: path) }
}

/// The path of the one file in a directory.
func onlyFile(in path: String) throws -> String {
    guard let directory = opendir(path) else { throw MAMError.system(errno, "list", path: path) }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { return path + "/" + name }
    }
    throw MAMError.system(ENOENT, "find a file", path: path)
}

/// Overwrite the beginning of a file.
func overwriteFile(_ path: String, _ bytes: [UInt8]) throws {
    let result = bytes.withUnsafeBytes { memory in
        memory.baseAddress.map { files_overwrite_at(AT_FDCWD, path, $0, memory.count) } ?? 0
    }
    guard result == 0 else { throw MAMError.system(result, "write", path: path) }
}

func removeFile(_ path: String) throws {
    guard unlink(path) == 0 else { throw MAMError.system(errno, "remove", path: path) }
}
