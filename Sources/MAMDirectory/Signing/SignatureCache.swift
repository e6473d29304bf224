import MAMProtection
import MAMSupport

/// Signatures that were verified in this process. The first check of a signature costs a verification, later ones a hash.
///
/// Used only while ``ForkDelay`` holds forks back, so that no child inherits a held lock.
final class SignatureCache: Sendable {
    static let shared = SignatureCache()
    private static let most = 1024
    private let verified = Locked<Set<[UInt8]>>([])

    private init() {}

    /// Whether a signature verifies, by a key over a message.
    func verifies(_ signature: [UInt8], of message: [UInt8], by key: VerifyingKey) -> Bool {
        let digest = sha256(key.bytes + signature + message)
        return ForkDelay.shared.withForksHeld {
            if verified.withLock({ $0.contains(digest) }) { return true }
            guard key.verifies(signature, of: message) else { return false }
            verified.withLock { verified in
                if verified.count >= SignatureCache.most { verified = [] }
                verified.insert(digest)
            }
            return true
        }
    }
}
