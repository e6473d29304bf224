import CFiles
import MAMSupport

/// The directory of a path and the name in it.
package func splitPath(_ path: String) -> (directory: String, name: String) {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    return (
        slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self),
        String(decoding: bytes[(slash + 1)...], as: UTF8.self)
    )
}

/// Create a file that its owner alone may read, complete and durable or not at all. Fails where it exists.
package func createPrivateFile(_ path: String, _ content: SecretBytes) throws(MAMError) {
    let (directory, name) = splitPath(path)
    var descriptor: Int32 = -1
    let opened = files_open_directory(directory, &descriptor)
    guard opened == 0 else { throw .system(opened, "open the directory", path: directory) }
    defer { files_close(descriptor) }
    let made = content.withUnsafeBytes { bytes in
        bytes.baseAddress.map { files_create_at(descriptor, name, $0, bytes.count) }
            ?? files_create_at(descriptor, name, "", 0)
    }
    guard made == 0 else { throw .system(made, "make the file", path: path) }
}
