import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// Several directories at once, so that threads do not wait for each other in one.
extension OwnedRemoval {
    private static let listed = 65_536
    private static let together = 32

    /// The next directories, some at once.
    func open(_ waiting: inout [Directory]) throws(MAMError) -> [Sweep] {
        var sweeps: [Sweep] = []
        while sweeps.count < OwnedRemoval.together, let next = waiting.popLast() {
            do throws(MAMError) {
                if let sweep = try Sweep(self, next, isAlone: sweeps.isEmpty) {
                    sweeps.append(sweep)
                } else if let number = next.number {
                    unsettle(number)
                }
            } catch {
                guard !sweeps.isEmpty else { throw error }
                waiting.append(next)
                break
            }
        }
        return sweeps
    }

    /// Look through directories, as many entries at once as memory is to hold.
    func run(_ sweeps: [Sweep]) throws(MAMError) {
        var waiting = sweeps[...]
        while !waiting.isEmpty {
            var taken: [Sweep] = []
            var room = OwnedRemoval.listed
            while room > 0, let sweep = waiting.first {
                let count = try sweep.take(limit: room)
                room -= count
                if count > 0 { taken.append(sweep) }
                if room > 0 { waiting.removeFirst() }
            }
            var removals: [platform_removal_t] = []
            for sweep in taken { removals.append(try sweep.removable()) }
            removals.withUnsafeMutableBufferPointer { removals in
                guard let first = removals.baseAddress else { return }
                mark.withUnsafeBufferPointer {
                    platform_remove_marked(
                        first, removals.count, FileLabel.attribute, $0.baseAddress, $0.count, helpers)
                }
            }
            for sweep in taken { try sweep.finish() }
        }
    }

    /// Whether the index knows a file as somebody else's, or as explicitly nobody's.
    func isOfOthers(_ number: FileNumber) throws(MAMError) -> Bool {
        guard knowsOthers else { return false }
        let owners = try state.read { (view, _) throws(MAMError) in
            try view.files.find(inode: number.inode).compactMap(\.file).filter { $0.number.isSame(number) }
        }
        return !owners.isEmpty && !owners.contains { $0.account == account }
    }
}
