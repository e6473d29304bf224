import MAMSupport

/// Files in a directory that keep their owner when the directory gets another one.
public struct RemainingFiles: Sendable {
    /// The reason why a file keeps its owner, named as in events.
    public enum Reason: String, Sendable {
        /// It is known as another account's.
        case otherAccount
        /// It is known as another app's.
        case otherApp
        /// It was explicitly given to no user.
        case noUser
        /// A wipe could not remove it yet.
        case wiped
        /// It belongs to libmam's state or authority.
        case libmam

        /// The predicate of a message.
        public var text: String {
            switch self {
            case .otherAccount: "is another account's; naming the file itself gives it to this one if policy allows it"
            case .otherApp: "is another app's"
            case .noUser: "was given to no user; naming the file itself gives it to the account"
            case .wiped: "is data that a wipe is still to remove"
            case .libmam: "is libmam's own"
            }
        }
    }

    /// A file, or a directory with everything in it.
    public struct File: Sendable {
        /// The path.
        public let path: String
        /// The reason.
        public let reason: Reason
    }

    private static let maximumNamed = 32

    /// The number of files and directories.
    public private(set) var count: Int64 = 0
    /// The first of them.
    public private(set) var named: [File] = []

    mutating func add(_ location: FileLocation, _ reason: Reason) {
        count += 1
        if named.count < RemainingFiles.maximumNamed { named.append(File(path: location.displayPath, reason: reason)) }
    }
}
