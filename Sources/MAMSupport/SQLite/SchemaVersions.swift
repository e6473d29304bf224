/// The tables of a database as a row of versions, each of which makes the one before it into the next.
public struct SchemaVersions: Sendable {
    private let steps: [String]

    /// The statements of version 1, of what version 2 adds, and so on.
    public init(_ steps: String...) { self.steps = steps }

    /// `PRAGMA user_version` of a database that has everything.
    public var latest: Int64 { Int64(steps.count) }

    /// The statements that make a database of a version.
    func steps(to version: Int64) -> ArraySlice<String> { steps.prefix(Int(max(version, 0))) }

    /// Give a database of an older version, 0 for an empty one, what it lacks. Inside the caller's transaction.
    public func upgrade(_ database: Database, from version: Int64) throws(MAMError) {
        guard version < latest else { return }
        for step in steps.dropFirst(Int(max(version, 0))) { try database.execute(step) }
        try database.set("user_version", to: latest)
    }
}
