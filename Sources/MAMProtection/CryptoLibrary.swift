import CSealing
import MAMSupport

/// libcrypto, which provides all cryptography.
public enum CryptoLibrary {
    /// Initialise libcrypto without its exit handler, and fetch the cipher. Later calls in the process return at once.
    public static func start() throws(MAMError) {
        guard sealing_start() else {
            throw MAMError(.crypto, "libcrypto's default provider gives no AES-256-GCM")
        }
    }

    /// The version of the loaded library.
    public static var version: String { String(repairing: sealing_library_version()) }
}
