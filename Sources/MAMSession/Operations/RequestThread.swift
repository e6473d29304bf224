import CHandles
import CProcess
import MAMSupport

/// The thread on which operations of a session with a worker ask a service. It is started when such a step may begin, and ends when
/// none may: nothing of it is left between requests, and a host without a service has none.
extension Operations {
    /// Start the thread, unless it runs or has nothing to do.
    func startRequests() {
        let isNeeded = queues.contents.held { contents in
            !contents.isClosing
                && contents.operations.beginServing(now: process_clock_monotonic_ms(), questions: contents.questions)
        }
        guard isNeeded else { return }
        joinRequests()
        do throws(MAMError) {
            let thread = try BackgroundThread(
                "start the thread of requests", run: { self.runRequestThread() }, stop: { self.beginClosing() })
            requests.held { $0 = thread }
        } catch {
            log.write(.error, "the worker makes requests itself: \(error.message)")
            serveRequests()
        }
    }

    /// Wait for the thread's end; it has ended, or `beginClosing` ends it. The lock is not held meanwhile, since a fork takes it.
    func joinRequests() {
        let ended = requests.held { thread in
            defer { thread = nil }
            return thread
        }
        ended?.join()
    }

    /// Release the thread's memory in a forked child, which does not have the thread.
    func forgetRequests() {
        requests.held { thread in
            thread?.forget()
            thread = nil
        }
    }

    private func runRequestThread() {
        thread_state_current().pointee.is_worker = true
        thread_state_current().pointee.is_requester = true
        serveRequests()
    }

    /// Carry out steps until none may begin. The worker is woken after each, since local work may follow. The thread takes no lock
    /// once it has said that it ends.
    private func serveRequests() {
        var isServing = true
        while isServing {
            while runOne(.requests) { wakeWorker() }
            isServing = queues.contents.held { contents in
                !contents.operations.endServing(now: process_clock_monotonic_ms(), questions: contents.questions)
                    && !contents.isClosing
            }
        }
    }
}
