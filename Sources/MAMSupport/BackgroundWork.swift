import CProcess

/// A computation on a thread of its own while the caller goes on. No fork may happen meanwhile (``ForkDelay``).
public final class BackgroundWork<Value: Sendable> {
    private let result = Locked<Result<Value, MAMError>?>(nil)
    private let thread: WorkThread

    /// Begin; without a thread the work is done here.
    public init(_ work: @escaping @Sendable () throws(MAMError) -> Value) {
        thread = WorkThread { [result] in
            let outcome: Result<Value, MAMError>
            do throws(MAMError) { outcome = .success(try work()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
        }
    }

    /// Whether `wait` returns at once.
    public var hasEnded: Bool { result.withLock { $0 != nil } }

    /// The result of the work, or its error.
    public func wait() throws(MAMError) -> Value {
        thread.join()
        guard let outcome = result.withLock({ $0 }) else {
            throw MAMError(.internal, "work in the background did not end")
        }
        return try outcome.get()
    }
}

/// A thread that is waited for before it is released.
private final class WorkThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let work: Work
    private var thread: OpaquePointer?

    init(_ run: @escaping @Sendable () -> Void) {
        work = Work(run)
        // `join` and `deinit` wait for the thread while `work` is alive.
        let begun = process_worker_start(
            { context in if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run() } },
            Unmanaged.passUnretained(work).toOpaque(), &thread)
        if begun != 0 { run() }
    }

    deinit { join() }

    func join() {
        if let thread { process_worker_join(thread) }
        thread = nil
    }
}
