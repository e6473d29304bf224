import MAMSupport

/// The result of a phase of enrollment: the status object of mam.h, section 4.
public struct EnrollmentStatus: Sendable {
    /// The account, where one was named by id.
    public let accountId: String?
    /// Its UPN, where it is known.
    public let upn: String?
    /// How it ended.
    public let code: StatusCode
    /// One line: what happened and what to do.
    public let message: String
    /// When.
    public let time: Instant

    /// A status; without a message it carries the code's guidance.
    public init(accountId: String?, upn: String?, code: StatusCode, message: String? = nil, time: Instant) {
        self.accountId = accountId
        self.upn = upn
        self.code = code
        self.message = message ?? code.guidance
        self.time = time
    }

    /// The status object of `mam_wait`.
    public var json: JSON {
        [
            "accountId": .optional(accountId), "upn": .optional(upn), "identity": .optional(upn),
            "code": .integer(Int64(code.rawValue)), "name": .string(code.name), "didSucceed": .bool(code.isSuccess),
            "message": .string(message),
            "time": .string(time.rfc3339),
        ]
    }
}
