import CPlatform
import MAMProtection
import MAMSupport

/// An access token comes in a file, so that it never travels as JSON.
enum TokenFile {
    private static let maximumLength = 4096

    /// The salted hash of a file's bytes; one newline at the end does not count.
    static func hash(_ path: String) throws(MAMError) -> [UInt8] {
        var count = 0
        // A token of the full length may still have its newline.
        let bytes = try SecretBytes(count: maximumLength + 1) { (memory) throws(MAMError) in
            guard let base = memory.baseAddress else { return }
            let result = platform_read_path(path, base, memory.count, &count)
            if result == Int32(PLATFORM_EFBIG) { throw tooLong(path) }
            guard result == 0 else { throw .system(result, "read the access token", path: path) }
        }
        return try bytes.withUnsafeBytes { (memory) throws(MAMError) in
            var token = memory.prefix(count)
            if token.last == UInt8(ascii: "\n") { token.removeLast() }
            guard !token.isEmpty else { throw .argument("accessTokenFile", "\(path) is empty") }
            guard token.count <= maximumLength else { throw tooLong(path) }
            return try TokenHash.make(token: UnsafeRawBufferPointer(rebasing: token))
        }
    }

    private static func tooLong(_ path: String) -> MAMError {
        .argument("accessTokenFile", "\(path) is longer than a token can be: \(maximumLength) bytes")
    }
}
