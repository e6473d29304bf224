import MAMSupport

/// Replies of `mam_policy_check` by what was asked: finding the reason for a refusal costs more than reading the request.
final class ReplyCache: @unchecked Sendable {
    /// What was asked, in numbers that hold for one snapshot.
    struct Key: Hashable {
        let question: UInt16
        let own: UInt16
        let other: UInt16
    }

    private static let capacity = 4096
    private let lock = Lock()  // guards `replies`
    private var replies: [Key: [UInt8]] = [:]

    func reply(_ key: Key, make: () -> [UInt8]) -> [UInt8] {
        if let reply = lock.held({ replies[key] }) { return reply }
        let reply = make()
        lock.held { if replies.count < ReplyCache.capacity { replies[key] = reply } }
        return reply
    }
}
