import CFiles
import MAMDirectory
import MAMProtection
import MAMSupport

/// The key of a service that is in a file beside its database and never in it. It wraps the secrets of the database and seals what
/// clients hand back.
struct StoreKey: Sendable {
    private static let magic = Array("MAMSTOR1".utf8)
    private static let length = 32

    /// Wraps keys that the database holds.
    let wrapping: RootKey
    private let secret: SecretBytes

    /// Read a key file.
    init(path: String) throws(MAMError) {
        var facts = files_stat_t()
        let looked = files_lstat(path, &facts)
        guard looked == 0 else { throw .system(looked, "look at the key file", path: path) }
        guard facts.mode & 0o170000 == 0o100000, facts.mode & 0o077 == 0 else {
            throw MAMError(
                .permission, "\(path): may be read by others than its owner; give it mode 0600",
                [("path", .string(path))])
        }
        var count = 0
        let size = StoreKey.magic.count + StoreKey.length
        let file = try SecretBytes(count: size) { (memory) throws(MAMError) in
            guard let base = memory.baseAddress else { return }
            let result = files_read_path(path, base, memory.count, &count)
            guard result == 0 || result == Int32(FILES_EFBIG) else {
                throw .system(result, "read the key file", path: path)
            }
            if result != 0 { count = 0 }
        }
        guard count == size, file.withUnsafeBytes({ $0.prefix(StoreKey.magic.count).elementsEqual(StoreKey.magic) })
        else {
            throw MAMError(
                .keyUnavailable,
                "\(path): is no key file: it has to be \(size) bytes that begin with MAMSTOR1; restore it",
                [("path", .string(path))])
        }
        try self.init(
            SecretBytes(count: StoreKey.length) { out in
                file.withUnsafeBytes { out.copyBytes(from: $0.suffix(StoreKey.length)) }
            })
    }

    private init(_ secret: SecretBytes) throws(MAMError) {
        try CryptoLibrary.start()
        self.secret = secret
        wrapping = try RootKey(secret)
    }

    /// Create a key and its file.
    static func create(at path: String) throws(MAMError) -> StoreKey {
        let secret = try SecretBytes.random(count: length)
        let file = try SecretBytes(count: magic.count + length) { file in
            file.copyBytes(from: magic)
            secret.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: file[magic.count...]).copyMemory(from: $0)
            }
        }
        try createPrivateFile(path, file)
        return try StoreKey(secret)
    }

    /// The seal of a text that a client hands back: 16 bytes that nobody without the key can make.
    func seal(_ purpose: StaticString, _ parts: [String]) throws(MAMError) -> [UInt8] {
        var message = Array(purpose.description.utf8)
        for part in parts { message += [0] + Array(part.utf8) }
        let seal = try HKDF.sha512(secret, salt: [], info: message, count: 16)
        return seal.withUnsafeBytes { Array($0) }
    }

    /// Whether a seal is that of a text.
    func isSeal(_ seal: [UInt8], of purpose: StaticString, _ parts: [String]) throws(MAMError) -> Bool {
        let expected = try self.seal(purpose, parts)
        guard seal.count == expected.count else { return false }
        // In constant time.
        return zip(seal, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
