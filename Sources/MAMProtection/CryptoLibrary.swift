import CSealing
import MAMSupport

/// libcrypto, which does the cryptography.
public enum CryptoLibrary {
    /// Initialise it, without its exit handler, and take the cipher. Once in a process; later calls cost nothing.
    public static func start() throws(MAMError) {
        guard sealing_start() else {
            throw MAMError(.crypto, "libcrypto's default provider gives no AES-256-GCM")
        }
    }

    /// The version that is loaded, as it calls itself.
    public static var version: String { String(nulTerminated: sealing_library_version()) }
}
