import MAMProtection
import MAMSupport

@testable import MAMService

/// Stands for P-256 and HPKE where the rules around them are tested: a signature is a digest under a key that both sides have. The
/// tests of mamd use the real ones.
struct TestCryptography: ServiceCryptography {
    static func sign(_ message: [UInt8], by key: [UInt8]) -> [UInt8] {
        sha256(key + message) + sha256(message + key)
    }

    func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        signature == TestCryptography.sign(message, by: key)
    }

    func isKey(_ bytes: [UInt8]) -> Bool { bytes.count == 65 && bytes[1] != 0 }

    func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info: [UInt8]) -> [UInt8]? {
        key + sha256(info) + secret.map { $0 ^ 0xFF }
    }
}
