/// A value bound to an SQL statement.
public enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Text, or NULL for nil.
    public static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    /// 1 or 0.
    public static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
}
