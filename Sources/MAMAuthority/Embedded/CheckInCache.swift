import CProcess
import MAMPolicy
import MAMSupport

/// The attributes of an authority's file, and the rights of this user in it. Equal stamps mean that nobody changed or replaced
/// the file, or granted or revoked a right.
struct FileStamp: Equatable, Sendable {
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

/// Everything that a check-in's reply depends on except the file and the time.
struct CheckInCacheKey: Hashable {
    // As bytes: Swift compares text by canonical equivalence, so different accounts could have equal names.
    private let bytes: [UInt8]

    init(_ accountId: String, _ registration: String, _ wipeMark: Int64, _ app: AppFacts, _ host: HostFacts) {
        bytes =
            JSON.array([
                .string(accountId), .string(registration), .integer(wipeMark), .string(app.id), .optional(app.version),
                .string(host.deviceTag), .string(host.platform), .string(host.platformVersion), .optional(host.model),
                .string(host.libraryVersion), .integer(host.stateCounter),
                host.confirmedCounter.map(JSON.integer) ?? .null, host.highestStateCounter.map(JSON.integer) ?? .null,
            ]).utf8
    }
}

/// Replies to check-ins. They hold as long as the file's stamp stays the same and the recorded time of the check-in is recent.
///
/// File times are only precise to some milliseconds: two changes in quick succession may leave the same time. A stamp is
/// therefore trusted only once it has been seen for longer than that. Used only while ``ForkDelay`` holds forks back, so that no child inherits
/// a held lock.
final class CheckInCache: Sendable {
    private struct Entry {
        let reply: CheckInReply
        let recorded: Instant?
    }

    private static let timestampGranularity: Int64 = 100  // milliseconds
    private static let capacity = 16
    private static let maximumLength = 1 << 18  // bytes of documents in one reply
    private struct Contents {
        var stamp: FileStamp?
        var firstSeen: Int64 = 0
        var entries: [CheckInCacheKey: Entry] = [:]
    }
    private let contents = Locked(Contents())

    /// The reply for a key, where one holds, and whether a reply that is read after this call may be inserted.
    func lookUp(
        _ key: CheckInCacheKey, at stamp: FileStamp?, _ now: Instant
    ) -> (reply: CheckInReply?, isCacheable: Bool) {
        let time = process_clock_monotonic_ms()
        return contents.withLock { contents in
            guard let stamp, stamp == contents.stamp else {
                contents = Contents(stamp: stamp, firstSeen: time)
                return (nil, false)
            }
            guard let entry = contents.entries[key] else {
                return (nil, time - contents.firstSeen > CheckInCache.timestampGranularity)
            }
            // The check-in has to be recorded again.
            if let recorded = entry.recorded, now < recorded || recorded + Registration.recordInterval <= now {
                return (nil, true)
            }
            return (entry.reply, true)
        }
    }

    /// Remove all replies.
    func removeAll() { contents.withLock { $0.entries = [:] } }

    /// Keep a reply that was read after the stamp was taken, unless it is long.
    func insert(_ reply: CheckInReply, for key: CheckInCacheKey, at stamp: FileStamp?, recorded: Instant?) {
        let documents = reply.policies.map(\.document) + reply.configurations.map(\.json)
        var left = CheckInCache.maximumLength
        for document in documents where left >= 0 { left -= document.utf8.count }
        guard left >= 0 else { return }
        contents.withLock { contents in
            guard let stamp, stamp == contents.stamp else { return }
            if contents.entries.count >= CheckInCache.capacity { contents.entries = [:] }
            contents.entries[key] = Entry(reply: reply, recorded: recorded)
        }
    }
}
