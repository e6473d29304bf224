import MAMProtection
import MAMSupport

/// Signatures that were verified in this process: each costs a verification once, and a hash from then on.
///
/// Inside the fork gate only, so that no child inherits the lock.
final class VerifiedSignatures: @unchecked Sendable {
    static let shared = VerifiedSignatures()
    private static let most = 1024
    private let lock = Lock()  // guards the rest
    private var verified: Set<[UInt8]> = []

    private init() {}

    /// Whether a signature is a key's of a message.
    func contains(_ signature: [UInt8], of message: [UInt8], by key: VerifyingKey) -> Bool {
        let digest = sha256(key.bytes + signature + message)
        return ForkGate.shared.pass {
            if lock.held({ verified.contains(digest) }) { return true }
            guard key.verifies(signature, of: message) else { return false }
            lock.held {
                if verified.count >= VerifiedSignatures.most { verified = [] }
                verified.insert(digest)
            }
            return true
        }
    }
}
