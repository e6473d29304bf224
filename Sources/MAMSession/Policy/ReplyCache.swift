import MAMPolicy
import MAMSupport

/// Replies for one snapshot, by request.
final class ReplyCache: Sendable {
    /// A request to `mam_policy_check`, as numbers that are valid for one snapshot. Finding the reason for a refusal costs more
    /// than reading the request.
    struct Key: Hashable {
        let question: UInt16
        let own: UInt16
        let other: UInt16
    }

    private static let capacity = 4096
    private let replies = Locked<[Key: [UInt8]]>([:])
    private let launches = Locked<[LaunchReply?]>([])

    func reply(_ key: Key, make: () -> [UInt8]) -> [UInt8] {
        if let reply = replies.withLock({ $0[key] }) { return reply }
        let reply = make()
        replies.withLock { if $0.count < ReplyCache.capacity { $0[key] = reply } }
        return reply
    }

    /// The reply of `mam_conditional_launch` for the account at an index, if it is still valid.
    func launch(_ place: Int, _ notes: UInt32, _ now: ClockReading) -> [UInt8]? {
        launches.withLock { launches in
            guard place < launches.count, let reply = launches[place], reply.holds(notes, now) else { return nil }
            return reply.text
        }
    }

    func keep(_ reply: LaunchReply, at place: Int) {
        launches.withLock { launches in
            guard place < ReplyCache.capacity else { return }
            while launches.count <= place { launches.append(nil) }
            launches[place] = reply
        }
    }
}

/// A reply of `mam_conditional_launch`, with its validity.
struct LaunchReply {
    /// The time and the counter of the state's records, read before the evaluation.
    struct Moment {
        let time: ClockReading
        /// ``State/notes``; nil during a write.
        let notes: UInt32?
    }

    let text: [UInt8]
    let moment: Moment
    let validity: FindingsValidity

    func holds(_ notes: UInt32, _ now: ClockReading) -> Bool {
        moment.notes == notes && validity.covers(now, since: moment.time)
    }
}
