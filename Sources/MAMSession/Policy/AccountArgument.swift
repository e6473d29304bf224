import MAMSupport

/// An account argument of mam.h: NULL, "" or a name.
public enum AccountArgument: Sendable {
    case notGiven
    case noUser
    case named(Identity)

    /// From text that may be missing.
    public init(_ text: String?, argument: String = "account") throws(MAMError) {
        switch text {
        case nil: self = .notGiven
        case let text? where text.isEmpty: self = .noUser
        case let text?: self = .named(try Identity(text, argument: argument))
        }
    }
}
