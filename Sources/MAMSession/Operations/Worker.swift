import CHandles
import CProcess
import MAMState
import MAMSupport

/// The thread that carries out due work. A shared wakeup starts its next turn: for this session's operations, and after commits of
/// other processes.
final class Worker: Sendable {
    private let thread: BackgroundThread

    init(_ operations: Operations) throws(MAMError) {
        thread = try BackgroundThread(
            "start the worker thread", run: { operations.runWorker() }, stop: { operations.beginClosing() })
    }

    /// Wait for the thread's end, after `Operations.beginClosing`.
    func stop() { thread.join() }

    /// Release the thread's memory in a forked child, which does not have the thread.
    func forget() { thread.forget() }
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
