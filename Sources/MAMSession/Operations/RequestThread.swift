import CHandles
import CProcess
import MAMSupport

/// The thread on which operations of a session with a worker ask a service. It is started when such a step may begin, and ends when
/// none may: nothing of it is left between requests, and a host without a service has none.
extension Operations {
    /// Start the thread, unless it runs or has nothing to do.
    func startRequests() {
        let isNeeded = queues.contents.withLock { contents in
            !contents.isClosing
                && contents.operations.claimRequestThread(
                    now: process_clock_monotonic_ms(), questions: contents.questions)
        }
        guard isNeeded else { return }
        joinRequests()
        do throws(MAMError) {
            let thread = try BackgroundThread(
                "start the thread of requests", run: { self.runRequestThread() }, stop: { self.beginClosing() })
            requestThread.withLock { $0 = thread }
        } catch {
            log.write(.error, "the worker makes requests itself: \(error.message)")
            carryOutRequests()
        }
    }

    /// Wait for the thread's end; it has ended, or `beginClosing` ends it. The lock is not held meanwhile, since a fork takes it.
    func joinRequests() {
        let ended = requestThread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        ended?.join()
    }

    /// Release the thread's memory in a forked child, which does not have the thread.
    func forgetRequests() {
        requestThread.withLock { thread in
            thread?.forget()
            thread = nil
        }
    }

    private func runRequestThread() {
        thread_state_current().pointee.is_worker = true
        thread_state_current().pointee.is_requester = true
        carryOutRequests()
    }

    /// Carry out steps until none may begin, and wake the worker after each, since local work may follow. After
    /// `releaseRequestThread` returns true, the thread acquires no lock: another thread may be joining it.
    private func carryOutRequests() {
        var hasWork = true
        while hasWork {
            while runOne(.requests) { wakeWorker() }
            hasWork = queues.contents.withLock { contents in
                !contents.operations.releaseRequestThread(
                    now: process_clock_monotonic_ms(), questions: contents.questions)
                    && !contents.isClosing
            }
        }
    }
}
