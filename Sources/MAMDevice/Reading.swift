/// What one probe came to. It is not judged here.
public struct Reading: Sendable, Equatable {
    /// What came of looking.
    public enum State: String, Sendable {
        /// As it should be.
        case ok
        /// Not as it should be.
        case fail
        /// It cannot be told: nothing there, or nothing that makes sense.
        case unknown
        /// The device has nothing of the kind.
        case notApplicable
    }

    /// What came of looking.
    public let state: State
    /// Where it was read.
    public let source: String
    /// One line: what was found.
    public let detail: String
    /// What was read, where it is a fact.
    public let value: String?

    init(_ state: State, _ source: String, _ detail: String, value: String? = nil) {
        self.state = state
        self.source = source
        self.detail = detail
        self.value = value
    }
}
