import MAMPolicy
import MAMSupport

/// Which app asks.
public struct AppFacts: Sendable {
    /// The app's id, as in `mam_open`.
    public let id: String
    /// Its version, where the host says one.
    public let version: String?

    /// Facts about an app.
    public init(id: String, version: String? = nil) {
        self.id = id
        self.version = version
    }

    /// Whether a text can be an app's id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit.
    public static func isId(_ text: String) -> Bool { AppId.isValid(text) }
}

/// From where it asks.
public struct HostFacts: Sendable {
    /// Groups the apps of one state directory.
    public let deviceTag: String
    /// As in "linux".
    public let platform: String
    /// The system's version.
    public let platformVersion: String
    /// The computer's model, where it is known.
    public let model: String?
    /// libmam's release.
    public let libraryVersion: String
    /// The state's counter: a lower one than before tells of an old copy.
    public let stateGeneration: Int64
    /// What the state knows to have reached, where the counter is lower: a former copy was put back.
    public let stateReached: Int64?
    /// What the authority said to have seen, where the counter was lower: it was read again since. nil: not asked.
    public var confirming: Int64?

    /// Facts about a computer and its state.
    public init(
        deviceTag: String, platform: String, platformVersion: String, model: String?, libraryVersion: String,
        stateGeneration: Int64, stateReached: Int64? = nil, confirming: Int64? = nil
    ) {
        self.deviceTag = deviceTag
        self.platform = platform
        self.platformVersion = platformVersion
        self.model = model
        self.libraryVersion = libraryVersion
        self.stateGeneration = stateGeneration
        self.stateReached = stateReached
        self.confirming = confirming
    }
}
