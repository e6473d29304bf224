import MAMSupport

/// What became of the files that a wiped account owned, as far as its wipe has come.
public struct WipedFiles: Sendable {
    /// Most files that are named, with the reason.
    public static let namedMaximum = 32

    /// One that is still there, or that nobody found.
    public struct Left: Sendable {
        /// Where it is, or was.
        public let path: String
        /// For programs: gone, replaced, disagrees, otherNames, permission, error.
        public let reason: String
        /// For people.
        public let message: String

        /// A file and why it was not removed.
        public init(path: String, reason: String, message: String) {
            self.path = path
            self.reason = reason
            self.message = message
        }
    }

    /// How many the index knew when the wipe came to them.
    public let known: Int64
    /// How many were removed, those that the index did not know among them.
    public var removed: Int64 = 0
    /// How many of those that it knew are nowhere that it knows: removed or moved by others.
    public var gone: Int64 = 0
    /// How many are there and were not removed.
    public var left: Int64 = 0
    /// The first of those that are left or gone.
    public var named: [Left] = []
    /// The last directory of the index that is through.
    public var through: Int64 = 0
    /// Those among them in which files that the index knew were not seen.
    public var unsettled: [Int64] = []

    /// Nothing is done yet.
    public init(known: Int64) { self.known = known }

    /// Count one that is left; the first are named.
    public mutating func leave(_ file: Left) {
        if file.reason == "gone" { gone += 1 } else { left += 1 }
        if named.count < WipedFiles.namedMaximum { named.append(file) }
    }

    /// As `wipeDidComplete` shows it.
    public var report: JSON {
        [
            "known": .integer(known), "removed": .integer(removed), "gone": .integer(gone), "left": .integer(left),
            "named": .array(
                named.map {
                    ["path": .string($0.path), "reason": .string($0.reason), "message": .string($0.message)]
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
        named = (report["named"]?.array ?? []).map {
            Left(
                path: $0["path"]?.string ?? "", reason: $0["reason"]?.string ?? "", message: $0["message"]?.string ?? ""
            )
        }
        through = json["through"]?.integer ?? 0
        unsettled = (json["unsettled"]?.array ?? []).compactMap(\.integer)
    }
}
