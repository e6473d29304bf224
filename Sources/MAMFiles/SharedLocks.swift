import CProcess
import CSealedFile
import MAMSupport

/// Shared memory with the locks of sealed files, mapped by all processes of an app group.
public struct SharedLocks: @unchecked Sendable {
    // Never unmapped; CSealedFile is thread-safe.
    let memory: OpaquePointer

    /// The locks of the processes that share these words.
    public init(words: UnsafeMutablePointer<shared_words_t>) throws(MAMError) {
        guard let memory = shared_memory_map(words, sealed_shared_size(), { sealed_shared_prepare($0) }) else {
            throw MAMError(
                .unsupported,
                "the system gives no System V shared memory, which processes share sealed files by; look at kernel.shmmni and kernel.shmall"
            )
        }
        self.memory = OpaquePointer(memory)
    }

    init(memory: OpaquePointer) { self.memory = memory }
}
