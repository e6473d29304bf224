import CPlatform
import MAMSupport

/// Make a small file.
func writeFile(_ path: String, _ text: String) throws {
    var directory: Int32 = -1
    let cut = path.lastIndex(of: "/") ?? path.startIndex
    _ = platform_open_directory(String(path[..<cut]), &directory)
    defer { platform_close(directory) }
    let result = Array(text.utf8).withUnsafeBytes { bytes in
        bytes.baseAddress.map {
            platform_create_at(directory, String(path[path.index(after: cut)...]), $0, bytes.count)
        } ?? 0
    }
    guard result == 0 else { throw MAMError.system(result, "make a file", path: path) }
}
