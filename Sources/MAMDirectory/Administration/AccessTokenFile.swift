import CFiles
import MAMProtection
import MAMSupport

/// Reads an access token from a file, so that tokens never appear in JSON.
enum AccessTokenFile {
    private static let maximumLength = 4096

    /// Returns the salted hash of a file's bytes, without one line end, LF or CRLF, at the end.
    static func hash(_ path: String) throws(MAMError) -> [UInt8] {
        var count = 0
        // A token of the maximum length may be followed by a line end.
        let bytes = try SecretBytes(count: maximumLength + 2) { (memory) throws(MAMError) in
            guard let base = memory.baseAddress else { return }
            let result = files_read_path(path, base, memory.count, &count)
            if result == Int32(FILES_EFBIG) { throw tooLong(path) }
            guard result == 0 else { throw .system(result, "read the access token", path: path) }
        }
        return try bytes.withUnsafeBytes { (memory) throws(MAMError) in
            var token = memory.prefix(count)
            if token.last == UInt8(ascii: "\n") {
                token.removeLast()
                if token.last == UInt8(ascii: "\r") { token.removeLast() }
            }
            guard !token.isEmpty else { throw .argument("accessTokenFile", "\(path) is empty") }
            guard token.count <= maximumLength else { throw tooLong(path) }
            return try TokenHash.make(token: UnsafeRawBufferPointer(rebasing: token))
        }
    }

    private static func tooLong(_ path: String) -> MAMError {
        .argument("accessTokenFile", "\(path) is longer than a token can be: \(maximumLength) bytes")
    }
}
