import MAMSupport

/// An account argument of mam.h: NULL, "" or a name.
public enum AccountArgument: Equatable, Sendable {
    case notGiven
    case noUser
    case named(Identity)

    /// Make an argument of optional text that a host gives.
    public init(_ text: String?, argument: String = "account") throws(MAMError) {
        switch text {
        case nil: self = .notGiven
        case let text? where text.isEmpty: self = .noUser
        case let text?: self = .named(try Identity(account: text, argument: argument))
        }
    }

    /// Make an argument of bytes that are not validated yet.
    public init(utf8 bytes: UnsafeBufferPointer<UInt8>, argument: String = "account") throws(MAMError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .argument(argument, "is not UTF-8") }
        try self.init(text, argument: argument)
    }

    /// Make an argument of a name that is stored: of an owner in a file or a label, or of an account; nil for none.
    init(stored text: String?) throws(MAMError) {
        switch text {
        case nil: self = .notGiven
        case let text? where text.isEmpty: self = .noUser
        case let text?: self = .named(try Identity(text))
        }
    }

    /// Make an argument of the owner's name in a file or a label; nil for no owner.
    init(bytes: [UInt8]?) throws(MAMError) { try self.init(stored: bytes.map { String(decoding: $0, as: UTF8.self) }) }

    /// The name, if there is one.
    var identity: Identity? { if case .named(let identity) = self { identity } else { nil } }

    /// The name; fails if there is none.
    public func named() throws(MAMError) -> Identity {
        guard case .named(let identity) = self else {
            throw .argument("account", "is missing; name an account id or a UPN", originalCode: .nilAccount)
        }
        return identity
    }

    /// The argument as optional text.
    var text: String? {
        switch self {
        case .notGiven: nil
        case .noUser: ""
        case .named(let identity): identity.text
        }
    }
}
