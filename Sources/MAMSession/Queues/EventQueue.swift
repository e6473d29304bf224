import MAMSupport

/// Events in memory. An event that reports a state replaces the former one of its account. When the queue is full the oldest event
/// that is no question is removed, and counted for `eventsLost`.
struct EventQueue {
    static let capacity = 256
    private var events: [Event] = []
    private var lost: Int64 = 0

    private struct Event {
        let name: EventName
        let accountId: String?
        let json: JSON
    }

    /// Add an event.
    mutating func append(_ name: EventName, accountId: String?, json: JSON) {
        if name.isState {
            events.removeAll { $0.name == name && $0.accountId == accountId }
        }
        if events.count == EventQueue.capacity {
            // Keep questions: one that is not delivered cannot be answered.
            events.remove(at: events.firstIndex { $0.name != .question } ?? 0)
            lost += 1
        }
        events.append(Event(name: name, accountId: accountId, json: json))
    }

    /// Take the oldest.
    mutating func next(now: Instant, in language: Language) -> JSON? {
        if lost > 0 {
            defer { lost = 0 }
            let members: [(key: String, value: JSON)] = [
                ("event", .string(EventName.eventsLost.rawValue)), ("time", .string(now.rfc3339)),
                ("count", .integer(lost)),
            ]
            return .object(members + language.members(EventName.eventsLost.messageKey))
        }
        return events.isEmpty ? nil : events.removeFirst().json
    }

    var isEmpty: Bool { events.isEmpty && lost == 0 }
    var count: Int { events.count }
}
