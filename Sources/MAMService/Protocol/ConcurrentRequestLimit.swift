import Synchronization

/// Bounds the requests that are under way: a service that is behind refuses at once, and says when to come back. Were it to queue
/// them all, it would answer clients that have given up.
public final class ConcurrentRequestLimit: Sendable {
    /// The most requests under way.
    public let limit: Int
    private let count = Atomic(0)

    /// Clients that are refused come back within this time, in seconds, each at a time of its own.
    public static let longestWait = 600

    /// Admit up to `limit` requests at once, at least one.
    public init(limit: Int) { self.limit = max(limit, 1) }

    /// The number of requests under way.
    public var underWay: Int { count.load(ordering: .relaxed) }

    /// Whether one more would be refused.
    public var isFull: Bool { underWay >= limit }

    /// Begin a request; false where it is refused. Whoever is admitted has to ``leave()``.
    public func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        return true
    }

    /// End a request that was admitted.
    public func leave() { count.subtract(1, ordering: .relaxed) }

    /// The seconds after which a client that is refused comes back. `fraction` is a random number in 0..<1.
    public static func wait(_ fraction: Double) -> Int {
        1 + min(max(Int(fraction * Double(longestWait)), 0), longestWait - 1)
    }
}

extension ServiceReply {
    /// The reply to a request that is refused before anything was done for it, unsigned.
    public static func behind(_ fraction: Double) -> ServiceReply {
        var reply = unsigned(503, [("retry-after", String(ConcurrentRequestLimit.wait(fraction)))])
        reply.outcome = "behind"
        return reply
    }
}
