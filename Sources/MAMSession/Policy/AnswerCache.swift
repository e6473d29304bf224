import CPlatform
import MAMPolicy
import MAMSupport

/// The answers of one snapshot that policy handles were given already: what two handles ask alike is decided once.
final class AnswerCache: @unchecked Sendable {
    /// What decides the answers of a snapshot.
    struct Key: Hashable {
        let names: [[UInt8]]
        let isLockedDown: Bool
        let deviceLock: DeviceLock
    }

    /// Of a kilobyte each. What comes later is decided anew each time.
    private static let capacity = 256
    private let lock = Lock()  // guards `answers`
    private var answers: [Key: platform_answers_t] = [:]

    /// The answers of a key, decided where nobody has asked for them yet.
    func answers(_ key: Key, make: () -> platform_answers_t) -> platform_answers_t {
        if let known = lock.held({ answers[key] }) { return known }
        let made = make()
        lock.held { if answers.count < AnswerCache.capacity { answers[key] = made } }
        return made
    }
}
