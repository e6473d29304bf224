import CHandles
import MAMPolicy
import MAMSupport

/// The answers of policy handles for one snapshot. Handles with equal keys share them.
final class AnswerCache: Sendable {
    /// The inputs that determine the answers for a snapshot.
    struct Key: Hashable {
        let names: [[UInt8]]
        let isLockedDown: Bool
        let deviceLock: DeviceLock

        /// Names have more bytes than a cache of this size needs: their last ones and lengths suffice.
        func hash(into hasher: inout Hasher) {
            for name in names {
                hasher.combine(name.suffix(8).reduce(UInt64(name.count)) { $0 << 8 ^ UInt64($1) })
            }
        }
    }

    /// Entries have about a kilobyte each. When the cache is full, further answers are computed each time.
    private static let capacity = 256
    private let answers = Locked<[Key: policy_bits_t]>([:])

    /// The answers for a key, computed by `make` if they are not cached.
    func answers(_ key: Key, make: () -> policy_bits_t) -> policy_bits_t {
        if let known = answers.withLock({ $0[key] }) { return known }
        let made = make()
        answers.withLock { if $0.count < AnswerCache.capacity { $0[key] = made } }
        return made
    }
}
