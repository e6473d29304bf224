import MAMProtection
import MAMSupport

/// The data keys of an account's former epochs that were used lately, at most a few. They live as long as the snapshot that the
/// account belongs to.
final class FormerKeyCache: Sendable {
    private let keys = Locked<[DataKey]>([])  // the latest first
    private static let capacity = 8

    /// Returns the key of a name and epoch, from here or from where `load` finds it.
    func key(
        named id: [UInt8], epoch: UInt32, load: () throws(MAMError) -> DataKey?
    ) throws(MAMError) -> DataKey? {
        if let known = keys.withLock({ $0.first { $0.epoch == epoch && $0.id == id } }) { return known }
        guard let loaded = try load() else { return nil }
        keys.withLock { keys in
            keys.insert(loaded, at: 0)
            if keys.count > FormerKeyCache.capacity { keys.removeLast() }
        }
        return loaded
    }
}
