import CPlatform
import MAMSupport

/// How an authority's file stands: where it is the same, nobody has changed the file, replaced it, or given or taken rights.
struct FileStanding: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let changed: Int64
    let owner: UInt32
    let group: UInt32
    let mode: UInt32
    let user: UInt32
    let isWritable: Bool
}

/// All that the reply to a check-in depends on beside the file and the time.
struct CheckInQuestion: Hashable {
    // As bytes: texts that Swift takes for equal may name different accounts.
    private let bytes: [UInt8]

    init(_ accountId: String, _ registration: String, _ wipeMark: Int64, _ app: AppFacts, _ host: HostFacts) {
        bytes =
            JSON.array([
                .string(accountId), .string(registration), .integer(wipeMark), .string(app.id), .optional(app.version),
                .string(host.deviceTag), .string(host.platform), .string(host.platformVersion), .optional(host.model),
                .string(host.libraryVersion), .integer(host.stateGeneration),
                host.confirming.map(JSON.integer) ?? .null, host.stateReached.map(JSON.integer) ?? .null,
            ]).utf8
    }
}

/// Replies to check-ins, which hold as long as the file stands as it did and what was noted of the check-in is recent.
///
/// Times of files have a grain, of milliseconds: a change may leave the time of the one just before it. So a standing counts
/// once it has been seen for longer than that. Inside the fork gate only, so that no child inherits the lock.
final class KeptReplies: @unchecked Sendable {
    private struct Kept {
        let reply: CheckIn
        let noted: Instant?
    }

    private static let grain: Int64 = 100
    private static let capacity = 16
    private static let longest = 1 << 18
    private let lock = Lock()  // guards the rest
    private var standing: FileStanding?
    private var seen: Int64 = 0
    private var replies: [CheckInQuestion: Kept] = [:]

    /// The reply to a question, where it holds, and whether a reply that is read from now on could be kept.
    func look(
        for question: CheckInQuestion, at standing: FileStanding?, _ now: Instant
    ) -> (reply: CheckIn?, isSettled: Bool) {
        let time = platform_time_monotonic()
        return lock.held {
            guard let standing, standing == self.standing else {
                (self.standing, seen, replies) = (standing, time, [:])
                return (nil, false)
            }
            guard let kept = replies[question] else { return (nil, time - seen > KeptReplies.grain) }
            // Then it is to be noted again.
            if let noted = kept.noted, now < noted || noted + Registration.noteLasts <= now { return (nil, true) }
            return (kept.reply, true)
        }
    }

    /// Forget all of them.
    func forget() { lock.held { replies = [:] } }

    /// Keep what was read after this standing was looked at, unless it is long.
    func keep(_ reply: CheckIn, to question: CheckInQuestion, at standing: FileStanding?, noted: Instant?) {
        let documents = reply.policies.map(\.document) + reply.configurations.map(\.json)
        var left = KeptReplies.longest
        for document in documents where left >= 0 { left -= document.utf8.count }
        guard left >= 0 else { return }
        lock.held {
            guard let standing, standing == self.standing else { return }
            if replies.count >= KeptReplies.capacity { replies = [:] }
            replies[question] = Kept(reply: reply, noted: noted)
        }
    }
}
