import CPlatform
import MAMSupport

/// What was found of files that carry a label which verified: it holds until the file's change time moves, which every
/// change of an attribute does. What the index alone says is looked up each time.
public final class OwnerCache: @unchecked Sendable {
    private static let capacity = 4096
    private static let settled: Int64 = 100  // milliseconds; change times come in steps of some

    private struct Entry {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var changed: Int64 = 0
        var generation: UInt64 = 0
        var answer: [UInt8] = []
    }

    private let lock: Lock  // the session's
    private var entries: [Entry] = []  // guarded by `lock`; nothing before the first file

    /// Empty; guarded by a lock.
    public init(lock: Lock) { self.lock = lock }

    /// What is remembered of a file as it is now, at a generation of the state; nil where it has to be looked at.
    public func answer(_ path: FilePath, generation: UInt64) -> [UInt8]? {
        var entry = platform_entry_t()
        guard platform_entry_at(Int32(PLATFORM_HERE), path.characters, &entry) == 0 else { return nil }
        return lock.held {
            guard !entries.isEmpty else { return nil }
            let known = entries[OwnerCache.slot(entry)]
            guard known.inode == entry.inode, known.device == entry.device, known.changed == entry.changed,
                known.generation == generation, !known.answer.isEmpty
            else { return nil }
            return known.answer
        }
    }

    /// Which state of which file an answer is about; taken before it is looked for.
    public struct Moment: Sendable {
        fileprivate let entry: platform_entry_t
    }

    /// The file as it is now; nil where its latest change is so young that another one would not show.
    public func moment(_ path: FilePath) -> Moment? {
        var entry = platform_entry_t()
        guard platform_entry_at(Int32(PLATFORM_HERE), path.characters, &entry) == 0,
            entry.changed < (platform_time_of_day() &- OwnerCache.settled) &* 1_000_000
        else { return nil }
        return Moment(entry: entry)
    }

    /// Remember an answer.
    public func keep(_ answer: [UInt8], _ moment: Moment, generation: UInt64) {
        lock.held {
            if entries.isEmpty { entries = Array(repeating: Entry(), count: OwnerCache.capacity) }
            entries[OwnerCache.slot(moment.entry)] = Entry(
                device: moment.entry.device, inode: moment.entry.inode, changed: moment.entry.changed,
                generation: generation, answer: answer)
        }
    }

    private static func slot(_ entry: platform_entry_t) -> Int {
        Int(truncatingIfNeeded: (entry.inode ^ entry.inode >> 12 ^ entry.device) & UInt64(capacity - 1))
    }
}
