import MAMSupport

/// Events in memory: bounded, newer state events replace older ones, what does not fit is counted.
final class EventQueue: @unchecked Sendable {
    static let capacity = 256
    private let lock: Lock  // the session's: whoever waits for an event waits on it
    private var events: [Event] = []
    private var lost: Int64 = 0

    private struct Event {
        let name: String
        let accountId: String?
        let json: JSON
    }

    /// Events that tell a state: only the latest of an account counts.
    private static func coalesces(_ name: String) -> Bool {
        switch name {
        case "policyDidChange", "appConfigDidChange", "dataProtectionDidChange", "accountBlocked",
            "allowedAccountsDidChange", "mdmAccountDidChange":
            true
        default: false
        }
    }

    init(lock: Lock) { self.lock = lock }

    /// Add an event. With the lock held.
    func append(_ name: String, accountId: String?, json: JSON) {
        if EventQueue.coalesces(name) {
            events.removeAll { $0.name == name && $0.accountId == accountId }
        }
        if events.count == EventQueue.capacity {
            // A question that nobody has seen cannot be answered.
            events.remove(at: events.firstIndex { $0.name != "question" } ?? 0)
            lost += 1
        }
        events.append(Event(name: name, accountId: accountId, json: json))
    }

    /// Take the oldest. With the lock held.
    func next(now: Instant) -> JSON? {
        if lost > 0 {
            defer { lost = 0 }
            return ["event": "eventsLost", "time": .string(now.rfc3339), "count": .integer(lost)]
        }
        return events.isEmpty ? nil : events.removeFirst().json
    }

    /// Whether none waits. With the lock held.
    var isEmpty: Bool { events.isEmpty && lost == 0 }
    /// How many wait. With the lock held.
    var count: Int { events.count }
}
