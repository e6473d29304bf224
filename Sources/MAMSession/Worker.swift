import CPlatform
import MAMSupport

/// The thread that does what is due. It wakes when the shared bell rings: for its own session's operations, and for what
/// other processes commit.
final class Worker: @unchecked Sendable {
    // `thread` and `exitNumber` are written once, before the thread can be joined.
    private let thread: UnsafeMutableRawPointer
    private let exitNumber: UInt64

    init(session: Session) throws(MAMError) {
        let context = Unmanaged.passRetained(session).toOpaque()
        var thread: OpaquePointer?
        let result = platform_worker_start(
            { context in
                guard let context else { return }
                Unmanaged<Session>.fromOpaque(context).takeRetainedValue().runWorker()
            }, context, &thread)
        guard result == 0, let thread else {
            Unmanaged<Session>.fromOpaque(context).release()
            throw .system(result, "start the worker thread", path: "libmam")
        }
        self.thread = UnsafeMutableRawPointer(thread)
        self.exitNumber = platform_exit_add(
            { context in
                guard let context else { return }
                Unmanaged<Session>.fromOpaque(context).takeUnretainedValue().beginClosing()
            }, context, thread)
    }

    /// Wait for its end; `Session.beginClosing` came before.
    func stop() {
        platform_exit_remove(exitNumber)
        platform_worker_join(OpaquePointer(thread))
    }

    /// In a forked child there is no such thread.
    func forget() { platform_worker_forget(OpaquePointer(thread)) }
}

extension Session {
    fileprivate func runWorker() {
        platform_thread_current().pointee.is_worker = true
        while true {
            let seen = platform_bell(state.words)
            if lock.held({ isClosing }) { return }
            runDue()
            if lock.held({ isClosing }) { return }
            // Not for ever: nobody rings the bell of words whose file was replaced.
            let due = untilDue()
            platform_bell_wait(state.words, seen, due < 0 ? 5000 : min(due, 5000))
        }
    }
}
