import MAMProtection
import MAMSupport

/// The data keys of an account's former epochs that were needed lately: a few, however many there are. They go with the
/// snapshot that they belong to.
final class FormerKeys: @unchecked Sendable {
    private let lock = Lock()
    private var keys: [DataKey] = []  // guarded by `lock`, the latest first
    private static let most = 8

    /// The key of a name and epoch, from here or from where `load` finds it.
    func key(
        named id: [UInt8], epoch: UInt32, load: () throws(MAMError) -> DataKey?
    ) throws(MAMError) -> DataKey? {
        if let known = lock.held({ keys.first { $0.epoch == epoch && $0.id == id } }) { return known }
        guard let loaded = try load() else { return nil }
        lock.held {
            keys.insert(loaded, at: 0)
            if keys.count > FormerKeys.most { keys.removeLast() }
        }
        return loaded
    }
}
