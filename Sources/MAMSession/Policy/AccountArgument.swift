import MAMSupport

/// An account argument of mam.h: NULL, "" or a name.
public enum AccountArgument: Equatable, Sendable {
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

    /// From a name that a file or a label has; nil where it names nobody.
    init(bytes: [UInt8]?) throws(MAMError) { try self.init(bytes.map { String(decoding: $0, as: UTF8.self) }) }

    /// The name, where there is one.
    var identity: Identity? { if case .named(let identity) = self { identity } else { nil } }

    /// As text that may be missing.
    var text: String? {
        switch self {
        case .notGiven: nil
        case .noUser: ""
        case .named(let identity): identity.text
        }
    }
}
