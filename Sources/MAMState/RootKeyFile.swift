import CFiles
import MAMProtection
import MAMSupport

/// Reads and creates the file root.key: the root key, readable by its owner only and checked on every open.
enum RootKeyFile {
    static let name = "root.key"

    /// The root key in a vault; nil where there is no file.
    static func load(from directory: StateDirectory, into vault: Vault) throws(MAMError) -> RootKey? {
        let path = "\(directory.path)/\(name)"
        var facts = files_stat_t()
        switch Int(files_fstatat(directory.descriptor, name, &facts)) {
        case 0: break
        case FILES_ENOENT: return nil
        case let failure: throw .system(Int32(failure), "look at the root key", path: path)
        }
        try directory.checkOwned(name)
        let file = try SecretBytes(count: 64) { _ in }
        var count = 0
        var result: Int32 = 0
        file.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return }
            result = files_read_at(
                directory.descriptor, name, UnsafeMutableRawPointer(mutating: base), memory.count, &count)
        }
        guard ![FILES_EFBIG, FILES_EISDIR].contains(Int(result)) else {
            throw MAMError(
                .keyUnavailable, "\(path): is no root key; put the right file back", [("path", .string(path))])
        }
        guard result == 0 else { throw .system(result, "read the root key", path: path) }
        let content = try SecretBytes(count: count, in: vault) { copy in
            file.withUnsafeBytes { copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        }
        do throws(MAMError) { return try RootKey(file: content) } catch {
            throw MAMError(error.code, "\(path): \(error.message)", [("path", .string(path))])
        }
    }

    /// The root key, created where it is missing. Two concurrent processes get the same key.
    static func loadOrMake(in directory: StateDirectory, into vault: Vault) throws(MAMError) -> RootKey {
        if let key = try load(from: directory, into: vault) { return key }
        let key = try RootKey.make()
        let bytes = try key.fileBytes()
        let result = bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { files_create_at(directory.descriptor, name, $0, memory.count) } ?? 0
        }
        guard result == 0 || Int(result) == FILES_EEXIST else {
            throw .system(result, "make the root key", path: "\(directory.path)/\(name)")
        }
        guard let kept = try load(from: directory, into: vault) else {
            throw MAMError(.keyUnavailable, "\(directory.path)/\(name): the root key vanished while it was made")
        }
        return kept
    }
}
