import MAMPolicy
import MAMSupport

/// The app that makes a request.
public struct AppFacts: Sendable {
    /// The app id, as in `mam_open`.
    public let id: String
    /// The app's version, where the host states one.
    public let version: String?

    /// Create facts about an app.
    public init(id: String, version: String? = nil) {
        self.id = id
        self.version = version
    }

    /// Whether a text is a valid app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit.
    public static func isId(_ text: String) -> Bool { AppId.isValid(text) }
}

/// The computer and state directory that a request comes from.
public struct HostFacts: Sendable {
    /// The tag that the apps of one state directory share.
    public let deviceTag: String
    /// The platform, as in "linux".
    public let platform: String
    /// The version of the operating system.
    public let platformVersion: String
    /// The computer's model, where known.
    public let model: String?
    /// The version of libmam.
    public let libraryVersion: String
    /// The counter of the state. A lower value than before reveals an older copy.
    public let stateCounter: Int64
    /// Random bytes that are new with each counter: the same counter with others is that of a copy. Empty where the state has none.
    public let stateHead: [UInt8]
    /// The highest counter that the state knows of, where its own is lower: an older copy was put back.
    public let highestStateCounter: Int64?
    /// The ``CheckInReply/highestCounter`` of the former reply, once the session has read its counter again; nil in a first
    /// request.
    public var confirmedCounter: Int64?

    /// Create facts about a computer and its state.
    public init(
        deviceTag: String, platform: String, platformVersion: String, model: String?, libraryVersion: String,
        stateCounter: Int64, stateHead: [UInt8] = [], highestStateCounter: Int64? = nil, confirmedCounter: Int64? = nil
    ) {
        self.deviceTag = deviceTag
        self.platform = platform
        self.platformVersion = platformVersion
        self.model = model
        self.libraryVersion = libraryVersion
        self.stateCounter = stateCounter
        self.stateHead = stateHead
        self.highestStateCounter = highestStateCounter
        self.confirmedCounter = confirmedCounter
    }
}
