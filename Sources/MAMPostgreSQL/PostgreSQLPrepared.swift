import MAMSupport

/// The statements that a connection has prepared, each under a name that nobody else has. Behind a pooler in transaction mode a statement
/// may come to another connection, which does not know the name; then they are run without names.
struct PostgreSQLPrepared {
    private var names: [String: String] = [:]
    /// Whether statements are run without names.
    private(set) var isRefused = false

    /// The name of a statement; nil where it is to be prepared.
    func name(_ sql: String) -> String? { names[sql] }

    /// A new name. Connections behind a pooler may be of several programs.
    static func newName() throws(MAMError) -> String { "mamd_" + hexadecimal(try randomBytes(12)) }

    /// Note that a statement was prepared.
    mutating func keep(_ sql: String, _ name: String) { names[sql] = name }

    /// Forget the statements of a connection that has ended.
    mutating func forget() { names = [:] }

    /// Run statements without names from now on.
    mutating func refuse() { (names, isRefused) = ([:], true) }

    /// Whether a statement failed for its name alone, before it began: it is not known, or its tables have changed.
    static func isStale(sqlState: String) -> Bool { sqlState == "26000" || sqlState == "0A000" }
}
