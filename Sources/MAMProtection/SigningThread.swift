import CProcess
import MAMSupport

/// Signs messages on a thread of its own while the caller goes on. No fork may happen meanwhile (``ForkDelay``).
public final class SigningThread {
    private final class Work {
        let key: SigningKey
        let messages: [[UInt8]]
        var result: Result<[[UInt8]], MAMError>

        init(_ key: SigningKey, _ messages: [[UInt8]]) {
            (self.key, self.messages) = (key, messages)
            result = .success([])
        }

        func run() {
            do throws(MAMError) {
                result = .success(try messages.map { (message) throws(MAMError) in try key.sign(message) })
            } catch { result = .failure(error) }
        }
    }

    private let work: Work
    private var thread: OpaquePointer?

    /// Begin; without a thread the messages are signed here.
    public init(_ key: SigningKey, _ messages: [[UInt8]]) {
        work = Work(key, messages)
        // `wait` and `deinit` join the thread while `work` is alive.
        let begun = process_worker_start(
            { context in if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run() } },
            Unmanaged.passUnretained(work).toOpaque(), &thread)
        if begun != 0 { work.run() }
    }

    deinit { join() }

    /// The signatures, in the order of the messages.
    public func wait() throws(MAMError) -> [[UInt8]] {
        join()
        return try work.result.get()
    }

    private func join() {
        if let thread { process_worker_join(thread) }
        thread = nil
    }
}
