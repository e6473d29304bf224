import MAMSupport

/// The result of a phase of enrollment: the status object of mam.h, section 4.
public struct EnrollmentStatus: Sendable {
    /// The account id, if it is known.
    public let accountId: String?
    /// The UPN, if it is known.
    public let upn: String?
    /// The result.
    public let code: StatusCode
    /// One line that says what happened and what to do.
    public let message: String
    /// The message for the person who uses the host.
    public let messageKey: MessageKey
    /// The time.
    public let time: Instant

    /// Creates a status. The default messages are the code's.
    public init(
        accountId: String?, upn: String?, code: StatusCode, message: String? = nil, for messageKey: MessageKey? = nil,
        time: Instant
    ) {
        let messageKey = messageKey ?? code.messageKey
        self.accountId = accountId
        self.upn = upn
        self.code = code
        self.message = message ?? code.guidance(for: messageKey)
        self.messageKey = messageKey
        self.time = time
    }

    /// The status object of `mam_wait`.
    public func json(in language: Language) -> JSON {
        .object(
            [
                ("accountId", .optional(accountId)), ("upn", .optional(upn)), ("identity", .optional(upn)),
                ("code", .integer(Int64(code.rawValue))), ("name", .string(code.name)),
                ("didSucceed", .bool(code.isSuccess)), ("message", .string(message)), ("time", .string(time.rfc3339)),
            ] + language.members(messageKey))
    }
}
