import MAMSupport

/// A signal's state and its source.
public struct DeviceReading: Sendable, Equatable {
    /// The state of a signal.
    public enum State: String, Sendable, CaseIterable {
        /// The signal is as required.
        case ok
        /// The signal is not as required.
        case fail
        /// The state cannot be determined: the source is missing or not understood.
        case unknown
        /// The signal does not apply to this device.
        case notApplicable
    }

    /// The signal's name: a raw value of ``DeviceSignal``, or a name of the host's.
    public let name: String
    /// The signal's state.
    public let state: State
    /// The source: a path, "logind", "settings" or "host".
    public let source: String
    /// One line that describes the reading.
    public let detail: String
    /// The value, for signals that have one: a version or a model.
    public let value: String?

    /// Creates a reading of one of libmam's signals.
    public init(_ signal: DeviceSignal, _ state: State, source: String, detail: String = "", value: String? = nil) {
        self.init(name: signal.rawValue, state, source: source, detail: detail, value: value)
    }

    /// Creates a reading of a signal by name.
    public init(name: String, _ state: State, source: String, detail: String = "", value: String? = nil) {
        self.name = name
        self.state = state
        self.source = source
        self.detail = detail
        self.value = value
    }
}
