import MAMSupport

/// The results of removing a wiped account's files, so far.
public struct FileRemovalReport: Sendable {
    /// The maximum number of files that are named.
    public static let namedMaximum = 32

    /// The reason why a file was not removed, named as in reports.
    public enum Reason: String, Sendable {
        /// No file was found where the index says.
        case gone
        /// Another file has the path.
        case replaced
        /// Its attribute and the index name different owners, or one of them does not verify.
        case disagrees
        /// It was removed under one name and has others elsewhere.
        case otherNames
        /// A directory that still has entries.
        case notEmpty
        /// The system refused it to this user.
        case permission
        /// Any other failure.
        case error
    }

    /// A file that remains, or that was not found.
    public struct Remaining: Sendable {
        /// The path as far as it is known.
        public let path: String
        /// The reason.
        public let reason: Reason
        /// The reason as one line for a person.
        public let message: String

        /// A file and the reason why it was not removed.
        public init(path: String, reason: Reason, message: String) {
            self.path = path
            self.reason = reason
            self.message = message
        }
    }

    /// The number of files in the index when the removal began.
    public let known: Int64
    /// The number of removed files, including files that the index did not have.
    public var removed: Int64 = 0
    /// The number of files in the index that were not found.
    public var gone: Int64 = 0
    /// The number of files that remain.
    public var left: Int64 = 0
    /// The number of those that a failure kept from being removed, and that are removed later.
    public var retried: Int64 = 0
    /// The first files that remain or were not found.
    public var named: [Remaining] = []
    /// The number of the last completed directory of the index.
    public var through: Int64 = 0
    /// Completed directories in which some indexed files were not found.
    public var unsettled: [Int64] = []

    /// The results before the first file.
    public init(known: Int64) { self.known = known }

    /// Count a file, and name it while there is room.
    public mutating func add(_ file: Remaining) {
        if file.reason == .gone { gone += 1 } else { left += 1 }
        if file.reason == .permission || file.reason == .error { retried += 1 }
        if named.count < FileRemovalReport.namedMaximum { named.append(file) }
    }

    /// Add the counts and names of another part of the removal.
    public mutating func add(_ part: FileRemovalReport) {
        removed += part.removed
        gone += part.gone
        left += part.left
        retried += part.retried
        named += part.named.prefix(max(0, FileRemovalReport.namedMaximum - named.count))
    }

    /// The form in `wipeDidComplete`.
    public var report: JSON {
        [
            "known": .integer(known), "removed": .integer(removed), "gone": .integer(gone), "left": .integer(left),
            "retried": .integer(retried),
            "named": .array(
                named.map {
                    ["path": .string($0.path), "reason": .string($0.reason.rawValue), "message": .string($0.message)]
                }),
        ]
    }

    var json: JSON {
        ["report": report, "through": .integer(through), "unsettled": .array(unsettled.map(JSON.integer))]
    }

    init?(json: JSON) {
        guard let report = json["report"], let known = report["known"]?.integer else { return nil }
        self.known = known
        removed = report["removed"]?.integer ?? 0
        gone = report["gone"]?.integer ?? 0
        left = report["left"]?.integer ?? 0
        retried = report["retried"]?.integer ?? 0
        named = (report["named"]?.array ?? []).map {
            Remaining(
                path: $0["path"]?.string ?? "", reason: $0["reason"]?.string.flatMap(Reason.init(rawValue:)) ?? .error,
                message: $0["message"]?.string ?? ""
            )
        }
        through = json["through"]?.integer ?? 0
        unsettled = (json["unsettled"]?.array ?? []).compactMap(\.integer)
    }
}
