import CPlatform
import MAMSupport

/// A host's function that can be replaced while threads call it: replacing returns when no call of the old one runs.
final class Callback<Function: Sendable>: @unchecked Sendable {
    private let lock = Lock()  // guards everything below
    private var function: Function?
    private var version: UInt64 = 0
    private var running: [(version: UInt64, thread: UInt)] = []
    private var areRunningParents = false  // in a forked child, which may free nothing before fork has returned

    /// Whether there is one.
    var isSet: Bool { lock.held { function != nil } }

    /// Replace it. From inside the old one itself this does not wait.
    func set(_ new: Function?) {
        let thread = Callback.currentThread
        lock.held {
            forgetParents()
            let old = version
            version &+= 1
            function = new
            // Two calls that replace each other would wait for each other.
            guard !running.contains(where: { $0.thread == thread }) else { return }
            while running.contains(where: { $0.version <= old }) { _ = lock.wait(milliseconds: -1) }
        }
    }

    /// Call it with no lock held; false when there is none.
    @discardableResult
    func call(_ body: (Function) -> Void) -> Bool {
        let thread = Callback.currentThread
        let taken: (function: Function, version: UInt64)? = lock.held {
            guard let function else { return nil }
            forgetParents()
            running.append((version, thread))
            return (function, version)
        }
        guard let taken else { return false }
        body(taken.function)
        lock.held {
            if let index = running.firstIndex(where: { $0.version == taken.version && $0.thread == thread }) {
                running.remove(at: index)
            }
            lock.broadcast()
        }
        return true
    }

    /// Around a fork: held before it; in the child nothing runs.
    func beforeFork() { lock.take() }
    func afterForkInParent() { lock.drop() }
    func afterForkInChild() {
        areRunningParents = true
        lock.reset()
    }

    private func forgetParents() {
        guard areRunningParents else { return }
        running = []
        areRunningParents = false
    }

    /// A number no other living thread has.
    private static var currentThread: UInt { UInt(bitPattern: platform_thread_current()) }
}
