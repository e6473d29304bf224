import CFiles
import CProcess
import MAMSupport

/// The log files of one app: `<app>.log`, to which every process of the app appends, and the full one before it.
///
/// No descriptor stays open, so a forked child has none, a deleted file is made anew, and a renamed one is not written any more. A
/// line that cannot be written is dropped and counted: a log neither fails nor delays the call that it is about.
public final class LogFile: ForkAware, Sendable {
    /// The maximum size of each of the two files.
    public static let limit: Int64 = 256 << 10

    private let directory: StateDirectory
    private let names: [String]  // the newest first
    private let process = process_forks_for_new_object()
    /// The number of writes that failed. `fork` waits for this lock, so that no child inherits an open descriptor.
    private let lost = Locked<Int64>(0)

    /// The log of an app in the directory of its group. Nothing is created before the first line.
    public init(_ directory: StateDirectory, app: String) {
        self.directory = directory
        names = ["\(app).log", "\(app).log.1"]
    }

    /// Append whole lines, in one write. A child that was forked while the session was open writes nothing.
    public func append(_ lines: String) {
        guard process_forks_now() == process else { return }
        var lines = lines
        lost.withLock { lost in
            let failure = lines.withUTF8 { bytes in
                bytes.baseAddress.map {
                    files_log_append(directory.descriptor, names[0], names[1], $0, bytes.count, LogFile.limit)
                }
            }
            if failure != 0 { lost += 1 }
        }
    }

    /// The number of times that nothing could be written.
    public var lostLines: Int64 { lost.withLock { $0 } }

    /// The paths of the files that exist, the newest first.
    public var paths: [String] {
        names.filter { name in
            var facts = files_stat_t()
            return files_fstatat(directory.descriptor, name, &facts) == 0 && facts.mode & 0o170000 == 0o100000
        }.map { "\(directory.path)/\($0)" }
    }

    /// Take the lock.
    public func beforeFork() { lost.beforeFork() }
    /// Release the lock in the parent.
    public func afterForkInParent() { lost.afterForkInParent() }
    /// Reset the lock in the child.
    public func afterForkInChild() { lost.afterForkInChild() }
}
