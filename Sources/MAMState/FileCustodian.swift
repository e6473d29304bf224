import CPlatform
import MAMProtection
import MAMSupport

/// The default key custodian: the root key in a file that only its owner may read, looked at on every open.
enum FileCustodian {
    static let name = "root.key"

    /// The root key, in a vault; nil when there is none.
    static func load(from directory: StateDirectory, into vault: Vault) throws(MAMError) -> RootKey? {
        let path = "\(directory.path)/\(name)"
        var facts = platform_file_facts_t()
        switch Int(platform_facts_at(directory.descriptor, name, &facts)) {
        case 0: break
        case PLATFORM_ENOENT: return nil
        case let failure: throw .system(Int32(failure), "look at the root key", path: path)
        }
        try directory.checkOwned(name)
        let file = try SecretBytes(count: 64) { _ in }
        var count = 0
        var result: Int32 = 0
        file.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return }
            result = platform_read_at(
                directory.descriptor, name, UnsafeMutableRawPointer(mutating: base), memory.count, &count)
        }
        guard ![PLATFORM_EFBIG, PLATFORM_EISDIR].contains(Int(result)) else {
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

    /// The root key, made when there is none. Two processes at once end up with the same one.
    static func loadOrMake(in directory: StateDirectory, into vault: Vault) throws(MAMError) -> RootKey {
        if let key = try load(from: directory, into: vault) { return key }
        let key = try RootKey.make()
        let bytes = try key.fileBytes()
        let result = bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { platform_create_at(directory.descriptor, name, $0, memory.count) } ?? 0
        }
        guard result == 0 || Int(result) == PLATFORM_EEXIST else {
            throw .system(result, "make the root key", path: "\(directory.path)/\(name)")
        }
        guard let kept = try load(from: directory, into: vault) else {
            throw MAMError(.keyUnavailable, "\(directory.path)/\(name): the root key vanished while it was made")
        }
        return kept
    }
}
