import MAMSupport

/// What one signal says, and where that was read.
public struct DeviceReading: Sendable, Equatable {
    /// What came of looking.
    public enum State: String, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// Not as it should be.
        case fail
        /// It cannot be told: nothing there, or nothing that makes sense.
        case unknown
        /// The device has nothing of the kind.
        case notApplicable
    }

    /// The signal's name: one of ``DeviceSignal``, or one of the host's own.
    public let name: String
    /// What came of looking.
    public let state: State
    /// Where it was read: a path, "logind", "settings" or "host".
    public let source: String
    /// One line: what was found.
    public let detail: String
    /// What was read, where the signal is a fact: a version, a model.
    public let value: String?

    /// A reading of one of libmam's own signals.
    public init(_ signal: DeviceSignal, _ state: State, source: String, detail: String = "", value: String? = nil) {
        self.init(name: signal.rawValue, state, source: source, detail: detail, value: value)
    }

    /// A reading of a signal by its name.
    public init(name: String, _ state: State, source: String, detail: String = "", value: String? = nil) {
        self.name = name
        self.state = state
        self.source = source
        self.detail = detail
        self.value = value
    }
}
