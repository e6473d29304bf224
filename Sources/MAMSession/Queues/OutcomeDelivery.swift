/// The persisted outcomes that a session has yet to deliver, and those that it delivered and has not removed yet.
struct OutcomeDelivery {
    /// The number of undelivered outcomes in the state.
    private(set) var waiting: Int
    /// Outcomes that the host has taken; its next call acknowledges them.
    private(set) var handedOut: [[UInt8]] = []

    init(waiting: Int) { self.waiting = waiting }

    /// Set the outcomes that the state has now.
    mutating func follow(_ outcomes: [[UInt8]]) { waiting = outcomes.filter { !handedOut.contains($0) }.count }

    /// Record a delivered outcome.
    mutating func markDelivered(_ id: [UInt8]) {
        handedOut.append(id)
        waiting = max(0, waiting - 1)
    }

    /// Record that every outcome in the state was delivered.
    mutating func markAllDelivered() { waiting = 0 }

    /// Drop acknowledged outcomes, which were removed from the state.
    mutating func removeAcknowledged(_ ids: [[UInt8]]) { handedOut.removeAll { ids.contains($0) } }
}
