import CPlatform
import CSealedFile
import MAMSupport

/// What the processes of an app group keep their work on sealed files apart with.
public struct SharedLocks: @unchecked Sendable {
    // Mapped for good; CSealedFile does its own locking.
    let memory: OpaquePointer

    /// That of processes which share these words.
    public init(words: UnsafeMutablePointer<platform_words_t>) throws(MAMError) {
        guard let memory = platform_words_more(words, sealed_shared_size(), { sealed_shared_prepare($0) }) else {
            throw MAMError(
                .unsupported,
                "the system gives no System V shared memory, which processes share sealed files by; look at kernel.shmmni and kernel.shmall"
            )
        }
        self.memory = OpaquePointer(memory)
    }

    init(memory: OpaquePointer) { self.memory = memory }
}
