/// The migrations of a database: each step turns a version into the next.
public struct SchemaMigrations: Sendable {
    /// The statements of version 1, of the step to version 2, and so on.
    public let steps: [String]

    /// The statements of version 1, of the step to version 2, and so on.
    public init(_ steps: String...) { self.steps = steps }

    /// `PRAGMA user_version` after all steps.
    public var latest: Int64 { Int64(steps.count) }

    /// The steps to a version.
    func steps(to version: Int64) -> ArraySlice<String> { steps.prefix(Int(max(version, 0))) }

    /// Migrate a database from an older version, 0 for an empty one. Runs in the caller's transaction.
    public func upgrade(_ database: Database, from version: Int64) throws(MAMError) {
        guard version < latest else { return }
        for step in steps.dropFirst(Int(max(version, 0))) { try database.execute(step) }
        try database.set("user_version", to: latest)
    }
}
