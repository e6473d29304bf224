import CHandles
import CProcess
import MAMState
import MAMSupport

/// The thread that carries out due work. A shared wakeup starts its next turn: for this session's operations, and after commits of
/// other processes.
final class Worker: @unchecked Sendable {
    // `thread` and `exitNumber` are written once, before the thread can be joined.
    private let thread: UnsafeMutableRawPointer
    private let exitNumber: UInt64

    init(_ operations: Operations) throws(MAMError) {
        let context = Unmanaged.passRetained(operations).toOpaque()
        var thread: OpaquePointer?
        let result = process_worker_start(
            { context in
                guard let context else { return }
                Unmanaged<Operations>.fromOpaque(context).takeRetainedValue().runWorker()
            }, context, &thread)
        guard result == 0, let thread else {
            Unmanaged<Operations>.fromOpaque(context).release()
            throw .system(result, "start the worker thread", path: "libmam")
        }
        self.thread = UnsafeMutableRawPointer(thread)
        self.exitNumber = process_exit_add(
            { context in
                guard let context else { return }
                Unmanaged<Operations>.fromOpaque(context).takeUnretainedValue().beginClosing()
            }, context, thread)
    }

    /// Wait for the thread's end, after `Operations.beginClosing`.
    func stop() {
        process_exit_remove(exitNumber)
        process_worker_join(OpaquePointer(thread))
    }

    /// Release the thread's memory in a forked child, which does not have the thread.
    func forget() { process_worker_forget(OpaquePointer(thread)) }
}

extension Operations {
    /// Begin no further work, and end every wait.
    func beginClosing() {
        queues.close()
        shared_wakeup_signal(state.words)
    }

    fileprivate func runWorker() {
        thread_state_current().pointee.is_worker = true
        while true {
            let seen = shared_wakeup(state.words)
            if queues.isClosing { return }
            runDue()
            if queues.isClosing { return }
            // Bounded, because nothing wakes a process whose shared-words file was replaced.
            let due = queues.untilDue()
            shared_wakeup_wait(state.words, seen, due < 0 ? 5000 : min(due, 5000))
        }
    }
}
