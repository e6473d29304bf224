import CFiles
import CProcess
import MAMSupport

/// A cache of answers about files with a verified label. An answer is valid until the ctime changes, as every change of an
/// attribute does. Answers from the index alone are not cached.
public final class OwnerCache: Sendable {
    private static let capacity = 4096
    private static let settled: Int64 = 100  // milliseconds; ctimes have coarse steps

    private struct Entry {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var changed: Int64 = 0
        var generationWord: UInt64 = 0
        var answer: [UInt8] = []
    }

    private let entries = Locked<[Entry]>([])  // empty until first use

    /// An empty cache.
    public init() {}

    /// The cached answer about the present version of a file at a generation of the state; nil without one.
    public func answer(_ path: FilePath, generationWord: UInt64) -> [UInt8]? {
        var entry = files_entry_t()
        guard files_entry_at(Int32(FILES_CWD), path.characters, &entry) == 0 else { return nil }
        return entries.withLock { entries in
            guard !entries.isEmpty else { return nil }
            let known = entries[OwnerCache.slot(entry)]
            guard known.inode == entry.inode, known.device == entry.device, known.changed == entry.changed,
                known.generationWord == generationWord, !known.answer.isEmpty
            else { return nil }
            return known.answer
        }
    }

    /// The version of a file, read before the answer is computed.
    public struct Moment: Sendable {
        fileprivate let entry: files_entry_t
    }

    /// The present version; nil after a recent change, when a further one might leave the same ctime.
    public func moment(_ path: FilePath) -> Moment? {
        var entry = files_entry_t()
        guard files_entry_at(Int32(FILES_CWD), path.characters, &entry) == 0,
            entry.changed < (process_clock_realtime_ms() &- OwnerCache.settled) &* 1_000_000
        else { return nil }
        return Moment(entry: entry)
    }

    /// Store an answer.
    public func keep(_ answer: [UInt8], _ moment: Moment, generationWord: UInt64) {
        entries.withLock { entries in
            if entries.isEmpty { entries = Array(repeating: Entry(), count: OwnerCache.capacity) }
            entries[OwnerCache.slot(moment.entry)] = Entry(
                device: moment.entry.device, inode: moment.entry.inode, changed: moment.entry.changed,
                generationWord: generationWord, answer: answer)
        }
    }

    private static func slot(_ entry: files_entry_t) -> Int {
        Int(truncatingIfNeeded: (entry.inode ^ entry.inode >> 12 ^ entry.device) & UInt64(capacity - 1))
    }

    /// The locks, for a service's fork hooks.
    public var locks: [any ForkAware] { [entries] }
}
