import CSealing
import MAMSupport

/// libcrypto, which does the cryptography.
public enum CryptoLibrary {
    /// Initialise it, without its exit handler, and fetch the cipher. Once in a process; later calls cost nothing.
    public static func start() throws(MAMError) {
        guard sealing_start() else {
            throw MAMError(.crypto, "libcrypto gives no AES-256-GCM: look at OpenSSL's configuration")
        }
    }

    /// The version that is loaded, as it calls itself.
    public static var version: String { String(cString: sealing_library_version()) }
}
