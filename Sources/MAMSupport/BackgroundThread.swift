import CProcess

/// A long-lived thread of libmam, with all signals blocked. When the process exits while it runs, it is asked to stop and has a
/// bounded time to end.
public final class BackgroundThread: @unchecked Sendable {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        let stop: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void, _ stop: @escaping @Sendable () -> Void) {
            (self.run, self.stop) = (run, stop)
        }
    }
    private let work: Work
    // Both are written once, before the thread can be joined.
    private let thread: UnsafeMutableRawPointer
    private let exitNumber: UInt64

    /// Start the thread, which runs `run`. `stop`, called at the end of the process, makes it return. `purpose` is for the error:
    /// "start a stream's thread".
    public init(
        _ purpose: String, run: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void
    ) throws(MAMError) {
        work = Work(run, stop)
        let context = Unmanaged.passRetained(work)
        var thread: OpaquePointer?
        let result = process_worker_start(
            { context in
                guard let context else { return }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque(), &thread)
        guard result == 0, let thread else {
            context.release()
            throw .system(result, purpose, path: "libmam")
        }
        self.thread = UnsafeMutableRawPointer(thread)
        exitNumber = process_exit_add(
            { context in
                guard let context else { return }
                Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().stop()
            }, Unmanaged.passUnretained(work).toOpaque(), thread)
    }

    /// Wait for the thread's end, once, after it was asked to stop; not from the thread itself.
    public func join() {
        process_exit_remove(exitNumber)
        process_worker_join(OpaquePointer(thread))
    }

    /// Release the thread's memory in a forked child, which does not have the thread.
    public func forget() { process_worker_forget(OpaquePointer(thread)) }
}
