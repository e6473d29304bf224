import CPlatform
import MAMSupport
import Synchronization

/// The directory of one app group: `<state directory>/<group>`, with the database, the root key and `shares/`.
///
/// It must be local, owned by this user and closed to all others; that is looked at every time it is opened.
public final class StateDirectory: @unchecked Sendable {
    // Descriptors and text set in `init` only.
    /// The group's directory.
    public let path: String
    let descriptor: Int32
    let shares: Int32
    /// Given up where a wipe finds no descriptor left; -1 where there is none.
    private let spare = Atomic<Int32>(-1)

    /// Open the directory of a group, made when missing.
    public init(path root: String, group: String) throws(MAMError) {
        guard root.utf8.first == UInt8(ascii: "/"), root.utf8.count <= 3000 else {
            throw .argument("stateDirectory", "\(root) is not an absolute path of at most 3000 bytes")
        }
        let made = platform_make_directories(root)
        guard made == 0 else { throw .system(made, "make the state directory", path: root) }
        let parent = try StateDirectory.open(root)
        defer { platform_close(parent) }
        try StateDirectory.checkParent(parent, root)
        try StateDirectory.checkLocal(parent, root)
        let path = root.utf8.last == UInt8(ascii: "/") ? root + group : root + "/" + group
        self.path = path
        self.descriptor = try StateDirectory.openOwned(group, in: parent, path: path)
        do throws(MAMError) {
            try StateDirectory.checkLocal(descriptor, path)
            self.shares = try StateDirectory.openOwned("shares", in: descriptor, path: path + "/shares")
        } catch {
            platform_close(descriptor)
            throw error
        }
        keepSpare()
    }

    deinit {
        spendSpare()
        platform_close(shares)
        platform_close(descriptor)
    }

    /// Keep a descriptor for a wipe, where there is one left.
    func keepSpare() {
        var fresh: Int32 = -1
        guard spare.load(ordering: .relaxed) < 0, platform_open_directory_at(descriptor, ".", &fresh) == 0 else {
            return
        }
        let former = spare.exchange(fresh, ordering: .acquiringAndReleasing)
        if former >= 0 { platform_close(former) }
    }

    /// Give it up.
    func spendSpare() {
        let kept = spare.exchange(-1, ordering: .acquiringAndReleasing)
        if kept >= 0 { platform_close(kept) }
    }

    /// Its path without links, as the system has it now.
    public var realPath: [UInt8] {
        var bytes = [CChar](repeating: 0, count: 4097)
        guard platform_real_path(path, &bytes, bytes.count) == 0 else { return Array(path.utf8) }
        return bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Refuse a file that others may read or that another user owns.
    func checkOwned(_ name: String) throws(MAMError) {
        var facts = platform_file_facts_t()
        let result = platform_facts_at(descriptor, name, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: "\(path)/\(name)") }
        try StateDirectory.checkOwned(facts, "\(path)/\(name)", mode: "600")
    }

    private static func open(_ path: String) throws(MAMError) -> Int32 {
        var descriptor: Int32 = -1
        let result = platform_open_directory(path, &descriptor)
        guard result == 0 else { throw .system(result, "open the directory", path: path) }
        return descriptor
    }

    private static func openOwned(_ name: String, in parent: Int32, path: String) throws(MAMError) -> Int32 {
        let made = platform_make_directory_at(parent, name)
        guard made == 0 else { throw .system(made, "make the directory", path: path) }
        var descriptor: Int32 = -1
        let opened = platform_open_directory_at(parent, name, &descriptor)
        var facts = platform_file_facts_t()
        if Int(opened) == PLATFORM_ENOTDIR {
            throw MAMError(.storage, "\(path): is no directory; move it away", [("path", .string(path))])
        }
        guard opened == 0 else { throw .system(opened, "open the directory", path: path) }
        let looked = platform_facts_of(descriptor, &facts)
        do throws(MAMError) {
            guard looked == 0 else { throw MAMError.system(looked, "look at it", path: path) }
            try checkOwned(facts, path, mode: "700")
        } catch {
            platform_close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func checkOwner(_ facts: platform_file_facts_t, _ path: String) throws(MAMError) {
        guard facts.owner == platform_effective_user() else {
            throw MAMError(
                .permission,
                "\(path): belongs to user \(facts.owner), not to this one; give it back or use another state directory",
                [("path", .string(path))])
        }
    }

    private static func checkOwned(_ facts: platform_file_facts_t, _ path: String, mode: String) throws(MAMError) {
        try checkOwner(facts, path)
        guard facts.mode & 0o077 == 0 else {
            throw MAMError(
                .permission, "\(path): others may use it; run chmod \(mode) on it after finding out who could read it",
                [("path", .string(path))])
        }
    }

    /// Whoever may write to the parent may put another directory in this one's place.
    private static func checkParent(_ descriptor: Int32, _ path: String) throws(MAMError) {
        var facts = platform_file_facts_t()
        let result = platform_facts_of(descriptor, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: path) }
        let isOwnerTrusted = facts.owner == platform_effective_user() || facts.owner == 0
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
        let result = platform_is_network(descriptor, &isNetwork, &type)
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
    /// SQLite makes its file with the process's umask: take away what that leaves to others.
    func checkMade(_ name: String) throws(MAMError) { try checkFile(name, in: descriptor, path: "\(path)/\(name)") }

    /// Every file that this user must own and be able to write, before one of them is opened: SQLite would make its log with
    /// the mode of a database that may not be written, and a wipe could not overwrite a share. (The root key has its own rules.)
    func checkFiles() throws(MAMError) {
        let locks = Lease.Subject.allCases.map(\.file)
        for name in [
            "state.db", "state.db-journal", "state.db-wal", "state.db-shm", "generation", "counter", "reserve",
        ] + locks {
            try checkMade(name)
        }
        for name in try shareNames() { try checkFile(name, in: shares, path: "\(path)/shares/\(name)") }
    }

    /// Whether no account has a share here.
    func hasNoShares() throws(MAMError) -> Bool { try shareNames().isEmpty }

    /// Others' access is taken away: in a directory that is closed to them nobody had it. A share that is a link closes its own
    /// account only.
    private func checkFile(_ name: String, in directory: Int32, path: String) throws(MAMError) {
        var facts = platform_file_facts_t()
        var result = platform_restrict_at(directory, name)
        if result == 0 { result = platform_facts_at(directory, name, &facts) }
        if Int(result) == PLATFORM_ENOENT || Int(result) == PLATFORM_ELOOP && directory == shares { return }
        if Int(result) == PLATFORM_ELOOP, platform_facts_at(directory, name, &facts) == 0 {
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
            platform_list(shares, names) { context, name in
                context?.assumingMemoryBound(to: [String].self).pointee.append(String(nulTerminated: name))
            }
        }
        guard result == 0 else { throw .system(result, "list the directory", path: path + "/shares") }
        return names
    }
}
