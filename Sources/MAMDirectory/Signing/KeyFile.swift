import CFiles
import MAMProtection
import MAMSupport

/// The file next to the database that holds the authority's secret keys: a slot for the key in use and, around a rotation, one for
/// the next or the former key.
package struct KeyFile: Sendable {
    package let path: String
    private static let magic = Array("MAMAUTH1".utf8)
    private static let slotSize = 32

    package init(of authority: String) { path = authority + ".key" }

    /// Whether this user can read the file.
    package var isReadable: Bool { files_is_readable(path) }

    /// The secret key of a public key.
    func key(_ wanted: VerifyingKey) throws(MAMError) -> SigningKey {
        for key in try keys() where key.verifier == wanted { return key }
        throw error(.keyUnavailable, "does not hold the authority's key (\(wanted.base64)); restore it from a copy")
    }

    /// Why a user who may read the file cannot sign with a key; nil where they can, and for a file that is closed to them.
    func problem(of wanted: VerifyingKey) -> String? {
        do throws(MAMError) { _ = try key(wanted) } catch {
            var facts = files_stat_t()
            let isClosed = !isReadable && files_lstat(path, &facts) != Int32(FILES_ENOENT)
            return isClosed ? nil : error.message
        }
        return nil
    }

    /// Create the file with a first key, completely and durably or not at all. An existing file is used instead.
    func make() throws(MAMError) -> SigningKey {
        let (directory, name) = splitPath(path)
        var descriptor: Int32 = -1
        let opened = files_open_directory(directory, &descriptor)
        guard opened == 0 else { throw .system(opened, "open the directory", path: directory) }
        defer { files_close(descriptor) }
        let secret = try SecretBytes.random(count: KeyFile.slotSize)
        let content = try KeyFile.content([secret])
        let made = content.withUnsafeBytes { bytes in
            bytes.baseAddress.map { files_create_at(descriptor, name, $0, bytes.count) } ?? Int32(FILES_EINVAL)
        }
        if made == 0 { return try SigningKey(secret) }
        guard made == Int32(FILES_EEXIST) else { throw .system(made, "make the key file", path: path) }
        // Left by a process that was killed before the database had the key, or put back from a copy.
        guard let first = try keys().first else { throw error(.keyUnavailable, "holds no key; remove it") }
        return first
    }

    /// Add a key next to the one in use.
    func add(_ secret: SecretBytes, beside used: VerifyingKey) throws(MAMError) {
        let kept = try keys().filter { $0.verifier == used }
        try overwrite(try kept.map { (key) throws(MAMError) in try KeyFile.copy(key) } + [secret])
    }

    /// Remove all keys but one.
    func keep(_ used: VerifyingKey) throws(MAMError) {
        try overwrite([try KeyFile.copy(try key(used))])
    }

    /// Read the keys. The file must give rights to its owner alone.
    private func keys() throws(MAMError) -> [SigningKey] {
        var facts = files_stat_t()
        let looked = files_lstat(path, &facts)
        guard looked != Int32(FILES_ENOENT) else {
            throw error(
                .keyUnavailable, "is missing: a copy of an authority without its key file can be read, not changed")
        }
        guard looked == 0 else { throw .system(looked, "look at the key file", path: path) }
        guard facts.mode & 0o170000 == 0o100000, facts.mode & 0o077 == 0 else {
            throw error(.permission, "may be read by others than its owner; give it mode 0600")
        }
        var count = 0
        let size = KeyFile.magic.count + 2 * KeyFile.slotSize
        let bytes = try SecretBytes(count: size) { (memory) throws(MAMError) in
            guard let base = memory.baseAddress else { return }
            let result = files_read_path(path, base, memory.count, &count)
            guard result == 0 || result == Int32(FILES_EFBIG) else {
                throw .system(result, "read the key file", path: path)
            }
        }
        let isOne = bytes.withUnsafeBytes {
            count == size && $0.prefix(KeyFile.magic.count).elementsEqual(KeyFile.magic)
        }
        guard isOne else {
            throw error(
                .keyUnavailable, "is no key file: it has to be \(size) bytes that begin with MAMAUTH1; restore it")
        }
        var found: [SigningKey] = []
        for number in 0...1 {
            let secret = try SecretBytes(count: KeyFile.slotSize) { out in
                let start = KeyFile.magic.count + number * KeyFile.slotSize
                bytes.withUnsafeBytes { out.copyBytes(from: $0[start..<start + KeyFile.slotSize]) }
            }
            if secret.withUnsafeBytes({ $0.contains { $0 != 0 } }) { found.append(try SigningKey(secret)) }
        }
        return found
    }

    private func overwrite(_ secrets: [SecretBytes]) throws(MAMError) {
        let (directory, name) = splitPath(path)
        var descriptor: Int32 = -1
        let opened = files_open_directory(directory, &descriptor)
        guard opened == 0 else { throw .system(opened, "open the directory", path: directory) }
        defer { files_close(descriptor) }
        let content = try KeyFile.content(secrets)
        let written = content.withUnsafeBytes { bytes in
            bytes.baseAddress.map { files_overwrite_at(descriptor, name, $0, bytes.count) } ?? Int32(FILES_EINVAL)
        }
        guard written == 0 else { throw .system(written, "write the key file", path: path) }
    }

    private static func content(_ secrets: [SecretBytes]) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: magic.count + 2 * slotSize) { file in
            file.initializeMemory(as: UInt8.self, repeating: 0)
            file.copyBytes(from: magic)
            for (number, secret) in secrets.prefix(2).enumerated() {
                let start = magic.count + number * slotSize
                secret.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: file[start...]).copyMemory(from: $0) }
            }
        }
    }

    private static func copy(_ key: SigningKey) throws(MAMError) -> SecretBytes {
        try key.withSecret { (bytes) throws(MAMError) in try SecretBytes(copying: bytes) }
    }

    private func error(_ code: MAMError.Code, _ what: String) -> MAMError {
        MAMError(code, "\(path): \(what)", [("path", .string(path))])
    }
}
