import MAMPolicy
import MAMSupport

/// Replies of one snapshot that were given already, by what was asked.
final class ReplyCache: @unchecked Sendable {
    /// What was asked of `mam_policy_check`, in numbers that hold for one snapshot: finding the reason for a refusal costs more
    /// than reading the request.
    struct Key: Hashable {
        let question: UInt16
        let own: UInt16
        let other: UInt16
    }

    private static let capacity = 4096
    private let lock = Lock()  // guards `replies` and `launches`
    private var replies: [Key: [UInt8]] = [:]
    private var launches: [LaunchReply?] = []

    func reply(_ key: Key, make: () -> [UInt8]) -> [UInt8] {
        if let reply = lock.held({ replies[key] }) { return reply }
        let reply = make()
        lock.held { if replies.count < ReplyCache.capacity { replies[key] = reply } }
        return reply
    }

    /// What `mam_conditional_launch` has told of the account at a place, where that still holds.
    func launch(_ place: Int, _ notes: UInt32, _ now: ClockReading) -> [UInt8]? {
        lock.held {
            guard place < launches.count, let reply = launches[place], reply.holds(notes, now) else { return nil }
            return reply.text
        }
    }

    func keep(_ reply: LaunchReply, at place: Int) {
        lock.held {
            guard place < ReplyCache.capacity else { return }
            while launches.count <= place { launches.append(nil) }
            launches[place] = reply
        }
    }
}

/// What `mam_conditional_launch` told, and for how long it would tell the same.
struct LaunchReply {
    /// What was known of when it looked, before it did.
    struct Moment {
        let time: ClockReading
        /// ``State/notes``; nil where somebody was writing.
        let notes: UInt32?
    }

    let text: [UInt8]
    let moment: Moment
    let validity: LaunchValidity

    func holds(_ notes: UInt32, _ now: ClockReading) -> Bool {
        moment.notes == notes && validity.covers(now, since: moment.time)
    }
}
