import CHandles
import MAMSupport

/// A host's function that can be replaced while threads call it. Replacing it returns when no call of the old one runs.
final class Callback<Function: Sendable>: ForkAware, Sendable {
    private struct Contents {
        var function: Function?
        var version: UInt64 = 0
        var running: [(version: UInt64, thread: UInt)] = []
        /// Set in a forked child, where calls of the parent are not running. The child may free nothing before `fork` returns.
        var isRunningStale = false

        mutating func dropStale() {
            guard isRunningStale else { return }
            running = []
            isRunningStale = false
        }
    }
    private let contents = Monitor(Contents())

    /// Whether a function is set.
    var isSet: Bool { contents.withLock { $0.function != nil } }

    /// Replace the function. A call from inside the old function does not wait.
    func set(_ new: Function?) {
        let thread = Callback.currentThread
        let (old, isInside) = contents.withLock { contents in
            contents.dropStale()
            defer {
                contents.version &+= 1
                contents.function = new
            }
            return (contents.version, contents.running.contains { $0.thread == thread })
        }
        // Two calls that replace the function would wait for each other.
        guard !isInside else { return }
        contents.wait { contents in
            contents.running.contains { $0.version <= old } ? .wait(milliseconds: -1) : .done(())
        }
    }

    /// Call the function with no lock held; false if there is none.
    @discardableResult
    func call(_ body: (Function) -> Void) -> Bool {
        let thread = Callback.currentThread
        let taken: (function: Function, version: UInt64)? = contents.withLock { contents in
            guard let function = contents.function else { return nil }
            contents.dropStale()
            contents.running.append((contents.version, thread))
            return (function, contents.version)
        }
        guard let taken else { return false }
        body(taken.function)
        contents.change { contents in
            let ended = contents.running.firstIndex { $0.version == taken.version && $0.thread == thread }
            if let ended { contents.running.remove(at: ended) }
        }
        return true
    }

    func beforeFork() { contents.beforeFork() }
    func afterForkInParent() { contents.afterForkInParent() }
    func afterForkInChild() {
        contents.afterForkInChild()
        contents.withLock { $0.isRunningStale = true }
    }

    /// A number that no other living thread has.
    private static var currentThread: UInt { UInt(bitPattern: thread_state_current()) }
}
