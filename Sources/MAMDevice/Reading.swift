/// The result of a probe. Probes do not judge it.
public struct Reading: Sendable, Equatable {
    /// The state of a probe.
    public enum State: String, Sendable {
        /// The probed condition holds.
        case ok
        /// The probed condition does not hold.
        case fail
        /// It cannot be determined: nothing was found, or nothing valid.
        case unknown
        /// The device does not have it.
        case notApplicable
    }

    /// The state.
    public let state: State
    /// The file or function that was read.
    public let source: String
    /// One line that says what was found.
    public let detail: String
    /// The value that was read, where it is a fact.
    public let value: String?

    init(_ state: State, _ source: String, _ detail: String, value: String? = nil) {
        self.state = state
        self.source = source
        self.detail = detail
        self.value = value
    }
}
