import CFiles
import MAMProtection
import MAMState
import MAMSupport

/// Several directories are processed at once, because threads that remove entries of the same directory wait for its lock.
extension OwnedFileRemoval {
    private static let entriesPerBatch = 65_536
    private static let directoriesPerBatch = 32

    /// Open the next directories. Where one cannot be opened, those before it come first: they may hold the last descriptors.
    func open(_ waiting: inout [RemovalDirectory]) throws(MAMError) -> [DirectoryRemoval] {
        var removals: [DirectoryRemoval] = []
        while removals.count < OwnedFileRemoval.directoriesPerBatch, let next = waiting.popLast() {
            do throws(MAMError) {
                switch try DirectoryRemoval.open(next, matcher) {
                case .ready(let removal):
                    removals.append(removal)
                    continue
                case .absent: break
                case .unreadable(let found):
                    guard removals.isEmpty else {
                        waiting.append(next)
                        return removals
                    }
                    results.add(found)
                }
                if let number = next.number { addIncomplete(number) }
            } catch {
                guard !removals.isEmpty else { throw error }
                waiting.append(next)
                break
            }
        }
        return removals
    }

    /// Remove the account's entries from directories, with a bounded number of entries in memory.
    func run(_ removals: [DirectoryRemoval]) throws(MAMError) {
        var waiting = removals[...]
        while !waiting.isEmpty {
            var ready: [DirectoryRemoval] = []
            var capacity = OwnedFileRemoval.entriesPerBatch
            while capacity > 0, let removal = waiting.first {
                let count = try removal.readEntries(limit: capacity)
                results.add(removal.takeResults())
                capacity -= count
                if count > 0 { ready.append(removal) }
                if capacity > 0 { waiting.removeFirst() }
            }
            var batches: [files_removal_t] = []
            for removal in ready {
                batches.append(try removal.batch())
                results.add(removal.takeResults())
            }
            batches.withUnsafeMutableBufferPointer { batches in
                guard let first = batches.baseAddress else { return }
                matcher.labelBytes.withUnsafeBufferPointer {
                    files_remove_marked(
                        first, batches.count, FileLabel.attribute, $0.baseAddress, $0.count, helpers)
                }
            }
            for removal in ready {
                try removal.finishBatch()
                results.add(removal.takeResults())
            }
        }
    }
}
