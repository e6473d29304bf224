import MAMSupport

/// The open files of a session, by their tokens.
final class OpenFiles: Sendable {
    private let files = Locked<[UInt: FileHandle]>([:])

    func add(_ file: FileHandle, _ token: UInt) { files.held { $0[token] = file } }
    func remove(_ token: UInt) { files.held { $0[token] = nil } }

    /// Every open file of an account that is gone loses its keys now. With the lock held: a file that is closed meanwhile is not
    /// kept open by this.
    func follow(_ snapshot: Snapshot) { files.held { for file in $0.values { try? file.follow(snapshot) } } }

    /// Every file loses its keys. In a forked child nothing is waited for.
    func close(isForked: Bool) {
        let open = files.held { files -> [FileHandle] in
            defer { files = [:] }
            return Array(files.values)
        }
        for file in open {
            if isForked { file.abandon() }
            file.forget()
        }
    }

    func beforeFork() { files.beforeFork() }
    func afterForkInParent() { files.afterForkInParent() }
    func afterForkInChild() { files.afterForkInChild() }
}
