import CFiles
import CProcess
import MAMSupport
import Synchronization

/// The directory of an app group: `<state directory>/<group>`, with the database, the root key and `shares/`.
///
/// It must be on a local file system, owned by this user and closed to all others, which is checked on every open.
public final class StateDirectory: @unchecked Sendable {
    // Descriptors and path are set in `init` only.
    /// The path of the group's directory.
    public let path: String
    let descriptor: Int32
    let shares: Int32
    /// Reserved for wipes in a process without free descriptors; -1 without one.
    private let spareDescriptor = Atomic<Int32>(-1)

    /// Open the directory of a group, or create it.
    public init(path root: String, group: String) throws(MAMError) {
        guard root.utf8.first == UInt8(ascii: "/"), root.utf8.count <= 3000 else {
            throw .argument("stateDirectory", "\(root) is not an absolute path of at most 3000 bytes")
        }
        let made = files_make_directories(root)
        guard made == 0 else { throw .system(made, "make the state directory", path: root) }
        let parent = try StateDirectory.open(root)
        defer { files_close(parent) }
        try StateDirectory.checkParent(parent, root)
        try StateDirectory.checkLocal(parent, root)
        let path = root.utf8.last == UInt8(ascii: "/") ? root + group : root + "/" + group
        self.path = path
        self.descriptor = try StateDirectory.openOwned(group, in: parent, path: path)
        do throws(MAMError) {
            try StateDirectory.checkLocal(descriptor, path)
            self.shares = try StateDirectory.openOwned("shares", in: descriptor, path: path + "/shares")
        } catch {
            files_close(descriptor)
            throw error
        }
        openSpareDescriptor()
    }

    deinit {
        releaseSpareDescriptor()
        files_close(shares)
        files_close(descriptor)
    }

    /// Reserve a descriptor for wipes, if one is available.
    func openSpareDescriptor() {
        var fresh: Int32 = -1
        guard spareDescriptor.load(ordering: .relaxed) < 0, files_open_directory_at(descriptor, ".", &fresh) == 0
        else {
            return
        }
        let former = spareDescriptor.exchange(fresh, ordering: .acquiringAndReleasing)
        if former >= 0 { files_close(former) }
    }

    /// Free the reserved descriptor.
    func releaseSpareDescriptor() {
        let kept = spareDescriptor.exchange(-1, ordering: .acquiringAndReleasing)
        if kept >= 0 { files_close(kept) }
    }

    /// The present path without links.
    public var realPath: [UInt8] {
        var bytes = [CChar](repeating: 0, count: 4097)
        guard files_real_path(path, &bytes, bytes.count) == 0 else { return Array(path.utf8) }
        return bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Refuse a file that others may read or that another user owns.
    func checkOwned(_ name: String) throws(MAMError) {
        var facts = files_stat_t()
        let result = files_fstatat(descriptor, name, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: "\(path)/\(name)") }
        try StateDirectory.checkOwned(facts, "\(path)/\(name)", mode: "600")
    }

    private static func open(_ path: String) throws(MAMError) -> Int32 {
        var descriptor: Int32 = -1
        let result = files_open_directory(path, &descriptor)
        guard result == 0 else { throw .system(result, "open the directory", path: path) }
        return descriptor
    }

    private static func openOwned(_ name: String, in parent: Int32, path: String) throws(MAMError) -> Int32 {
        let made = files_make_directory_at(parent, name)
        guard made == 0 else { throw .system(made, "make the directory", path: path) }
        var descriptor: Int32 = -1
        let opened = files_open_directory_at(parent, name, &descriptor)
        var facts = files_stat_t()
        if Int(opened) == FILES_ENOTDIR {
            throw MAMError(.storage, "\(path): is no directory; move it away", [("path", .string(path))])
        }
        guard opened == 0 else { throw .system(opened, "open the directory", path: path) }
        let looked = files_fstat(descriptor, &facts)
        do throws(MAMError) {
            guard looked == 0 else { throw MAMError.system(looked, "look at it", path: path) }
            try checkOwned(facts, path, mode: "700")
        } catch {
            files_close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func checkOwner(_ facts: files_stat_t, _ path: String) throws(MAMError) {
        guard facts.owner == process_effective_user() else {
            throw MAMError(
                .permission,
                "\(path): belongs to user \(facts.owner), not to this one; give it back or use another state directory",
                [("path", .string(path))])
        }
    }

    private static func checkOwned(_ facts: files_stat_t, _ path: String, mode: String) throws(MAMError) {
        try checkOwner(facts, path)
        guard facts.mode & 0o077 == 0 else {
            throw MAMError(
                .permission, "\(path): others may use it; run chmod \(mode) on it after finding out who could read it",
                [("path", .string(path))])
        }
    }

    /// Refuse a parent directory in which others could replace this one.
    private static func checkParent(_ descriptor: Int32, _ path: String) throws(MAMError) {
        var facts = files_stat_t()
        let result = files_fstat(descriptor, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: path) }
        let isOwnerTrusted = facts.owner == process_effective_user() || facts.owner == 0
        let isSticky = facts.mode & 0o1000 != 0
        guard isOwnerTrusted, facts.mode & 0o022 == 0 || isSticky else {
            throw MAMError(
                .permission,
                "\(path): other users could replace what is in it; use a directory that only this user may write to",
                [("path", .string(path))])
        }
    }

    private static func checkLocal(_ descriptor: Int32, _ path: String) throws(MAMError) {
        var isNetwork = false
        var type: UInt64 = 0
        let result = files_is_network(descriptor, &isNetwork, &type)
        guard result == 0 else { throw .system(result, "find its file system", path: path) }
        guard !isNetwork else {
            throw MAMError(
                .unsupported,
                "\(path): is on a network file system (type 0x\(String(type, radix: 16))), where locks and shared memory fail; use a local directory",
                [("path", .string(path))])
        }
    }
}

extension StateDirectory {
    /// Clear the group and other bits that the umask left in the mode of SQLite's file.
    func checkMade(_ name: String) throws(MAMError) { try checkFile(name, in: descriptor, path: "\(path)/\(name)") }

    /// Check owner and mode of all files before one is opened. SQLite would create its WAL with the mode of a read-only database,
    /// and a wipe could not overwrite a read-only share. The root key is checked separately.
    func checkFiles() throws(MAMError) {
        let locks = Lease.Subject.allCases.map(\.file)
        for name in [
            "state.db", "state.db-journal", "state.db-wal", "state.db-shm", "generation", "counter", "reserve",
        ] + locks {
            try checkMade(name)
        }
        for name in try shareNames() { try checkFile(name, in: shares, path: "\(path)/shares/\(name)") }
    }

    /// Whether no account has a share.
    func hasNoShares() throws(MAMError) -> Bool { try shareNames().isEmpty }

    /// Clear the group and other bits; the directory's mode already denied access. A share that is a link closes its own account
    /// only.
    private func checkFile(_ name: String, in directory: Int32, path: String) throws(MAMError) {
        var facts = files_stat_t()
        var result = files_restrict_at(directory, name)
        if result == 0 { result = files_fstatat(directory, name, &facts) }
        if Int(result) == FILES_ENOENT || Int(result) == FILES_ELOOP && directory == shares { return }
        if Int(result) == FILES_ELOOP, files_fstatat(directory, name, &facts) == 0 {
            throw .notAFile(path, mode: facts.mode)
        }
        guard result == 0 else { throw .system(result, "take others' access away", path: path) }
        try StateDirectory.checkOwner(facts, path)
        guard facts.mode & 0o600 == 0o600 else {
            throw MAMError(
                .permission, "\(path): this user may not read and write it; run chmod 600 on it",
                [("path", .string(path))])
        }
    }

    func shareNames() throws(MAMError) -> [String] {
        var names: [String] = []
        let result = withUnsafeMutablePointer(to: &names) { names in
            files_list(shares, names) { context, name in
                context?.assumingMemoryBound(to: [String].self).pointee.append(String(repairing: name))
            }
        }
        guard result == 0 else { throw .system(result, "list the directory", path: path + "/shares") }
        return names
    }
}
