import CPlatform
import MAMSupport

/// Held by the one process that carries out the group's wipes, so that the host is asked once. The system drops it with
/// the process, and the next one resumes.
public final class WipeLease {
    private let descriptor: Int32

    init?(directory: StateDirectory) throws(MAMError) {
        var descriptor: Int32 = -1
        let result = platform_lock_file_at(directory.descriptor, "wipe.lock", &descriptor)
        if Int(result) == PLATFORM_EWOULDBLOCK { return nil }
        guard result == 0 else { throw .system(result, "take the wipe lock", path: "\(directory.path)/wipe.lock") }
        self.descriptor = descriptor
    }

    deinit { platform_close(descriptor) }
}
