/// The error of a failed call.
///
/// Programs branch on ``code``. ``message`` is one line for the administrator: the problem, the argument, file or setting, and the remedy.
/// It never contains keys or plaintext, and its wording may change in any release.
public struct MAMError: Error, Sendable {
    /// An open set of codes. The raw value is the `MAM_ERR_*` number in mam.h.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number in mam.h.
        public let rawValue: Int32
        /// Any number is valid, since the set is open.
        public init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The message for the person who uses the host.
    public let messageKey: MessageKey
    /// One line for the administrator.
    public let message: String
    /// Details for programs: "argument", "path", "setting", "accountId", "keyId", "originalCode"…
    public let detail: [(key: String, value: JSON)]

    /// An error with its message and details. Without a message for the person, the code has one.
    public init(
        _ code: Code, _ message: String, _ detail: [(key: String, value: JSON)] = [], for messageKey: MessageKey? = nil
    ) {
        self.code = code
        self.messageKey = messageKey ?? code.messageKey
        self.message = message
        self.detail = detail
    }

    /// A violation of mam.h, with the name of the argument.
    public static func argument(
        _ name: String, _ message: String, originalCode: OriginalCode? = nil, for messageKey: MessageKey? = nil
    ) -> MAMError {
        var detail: [(key: String, value: JSON)] = [("argument", .string(name))]
        if let originalCode { detail.append(originalCode.detail) }
        return MAMError(.argument, "\(name): \(message)", detail, for: messageKey)
    }
}

extension MAMError: Equatable {
    /// Compares codes only, which keeps tests short.
    public static func == (a: MAMError, b: MAMError) -> Bool { a.code == b.code }
}

extension MAMError.Code {
    /// `MAM_ERR_ARGUMENT`.
    public static let argument = Self(rawValue: 1)
    /// `MAM_ERR_BUFFER`.
    public static let buffer = Self(rawValue: 2)
    /// `MAM_ERR_JSON`.
    public static let json = Self(rawValue: 3)
    /// `MAM_ERR_CLOSED`.
    public static let closed = Self(rawValue: 4)
    /// `MAM_ERR_FORKED`.
    public static let forked = Self(rawValue: 5)
    /// `MAM_ERR_UNSUPPORTED`.
    public static let unsupported = Self(rawValue: 6)
    /// `MAM_ERR_DEADLOCK`.
    public static let deadlock = Self(rawValue: 7)
    /// `MAM_ERR_INTERRUPTED`.
    public static let interrupted = Self(rawValue: 8)
    /// `MAM_ERR_NOT_MANAGED`.
    public static let notManaged = Self(rawValue: 10)
    /// `MAM_ERR_NOT_REGISTERED`.
    public static let notRegistered = Self(rawValue: 11)
    /// `MAM_ERR_NOT_ENROLLED`.
    public static let notEnrolled = Self(rawValue: 12)
    /// `MAM_ERR_NOT_FOUND`.
    public static let notFound = Self(rawValue: 13)
    /// `MAM_ERR_ALREADY`.
    public static let already = Self(rawValue: 14)
    /// `MAM_ERR_DENIED`.
    public static let denied = Self(rawValue: 15)
    /// `MAM_ERR_LOCKED`.
    public static let locked = Self(rawValue: 16)
    /// `MAM_ERR_CANCELED`.
    public static let canceled = Self(rawValue: 17)
    /// `MAM_ERR_TIMEOUT`.
    public static let timeout = Self(rawValue: 18)
    /// `MAM_ERR_BUSY`.
    public static let busy = Self(rawValue: 19)
    /// `MAM_ERR_GONE`.
    public static let gone = Self(rawValue: 20)
    /// `MAM_ERR_NOT_PROTECTED`.
    public static let notProtected = Self(rawValue: 30)
    /// `MAM_ERR_DAMAGED`.
    public static let damaged = Self(rawValue: 31)
    /// `MAM_ERR_AUTHENTICATION`.
    public static let authentication = Self(rawValue: 32)
    /// `MAM_ERR_KEY_UNAVAILABLE`.
    public static let keyUnavailable = Self(rawValue: 33)
    /// `MAM_ERR_EMPTY`.
    public static let empty = Self(rawValue: 34)
    /// `MAM_ERR_IO`.
    public static let io = Self(rawValue: 40)
    /// `MAM_ERR_STORAGE`.
    public static let storage = Self(rawValue: 41)
    /// `MAM_ERR_PERMISSION`.
    public static let permission = Self(rawValue: 42)
    /// `MAM_ERR_NO_SPACE`.
    public static let noSpace = Self(rawValue: 43)
    /// `MAM_ERR_CRYPTO`.
    public static let crypto = Self(rawValue: 44)
    /// `MAM_ERR_VERSION`.
    public static let version = Self(rawValue: 45)
    /// `MAM_ERR_TAMPERED`.
    public static let tampered = Self(rawValue: 46)
    /// `MAM_ERR_AUTH_REQUIRED`.
    public static let authRequired = Self(rawValue: 50)
    /// `MAM_ERR_NETWORK`.
    public static let network = Self(rawValue: 51)
    /// `MAM_ERR_SERVICE`.
    public static let service = Self(rawValue: 52)
    /// `MAM_ERR_PROTOCOL`.
    public static let protocolError = Self(rawValue: 53)
    /// `MAM_ERR_INTERNAL`.
    public static let `internal` = Self(rawValue: 90)

    /// The short name as in `mam_status_name`; nil for a number without one.
    public var name: StaticString? {
        switch rawValue {
        case 0: "ok"
        case 1: "argument"
        case 2: "buffer"
        case 3: "json"
        case 4: "closed"
        case 5: "forked"
        case 6: "unsupported"
        case 7: "deadlock"
        case 8: "interrupted"
        case 10: "notManaged"
        case 11: "notRegistered"
        case 12: "notEnrolled"
        case 13: "notFound"
        case 14: "already"
        case 15: "denied"
        case 16: "locked"
        case 17: "canceled"
        case 18: "timeout"
        case 19: "busy"
        case 20: "gone"
        case 30: "notProtected"
        case 31: "damaged"
        case 32: "authentication"
        case 33: "keyUnavailable"
        case 34: "empty"
        case 40: "io"
        case 41: "storage"
        case 42: "permission"
        case 43: "noSpace"
        case 44: "crypto"
        case 45: "version"
        case 46: "tampered"
        case 50: "authRequired"
        case 51: "network"
        case 52: "service"
        case 53: "protocol"
        case 90: "internal"
        default: nil
        }
    }
}
