import MAMPolicy
import MAMSupport

/// A refusal that the authority signed, RFC 9457.
package struct ServiceProblem {
    /// The last segment of its type, which decides.
    package let name: String
    let status: Int
    /// The text that the next check-in has to repeat, where the service asks for it.
    package let challenge: String?
    /// The demands on a token.
    private let claims: String?
    private let maxAge: Int64?
    private let needsPerson: Bool
    private let detail: String
    /// How long the service asks to wait, a day at most.
    private let retryAfter: TimeSpan?
    private let unsignedWait: TimeSpan?

    /// `wait` is the one of the header, which counts where the signed body has none.
    package init(status: Int, _ json: JSON, wait: TimeSpan? = nil) {
        self.status = status
        let type = json["type"]?.string ?? ""
        name = type.split(separator: "/").last.map(String.init) ?? ""
        challenge = json["challenge"]?.string
        claims = json["claims"]?.string.flatMap { text in
            (try? JSON(parsing: text, limit: ServiceProblem.longestClaims))?.object.map { _ in text }
        }
        maxAge = json["maxAge"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
        needsPerson = json["prompt"] == "login"
        retryAfter = json["retryAfter"]?.string.flatMap(TimeSpan.init(iso8601:)).map {
            min(max($0, .seconds(0)), .days(1))
        }
        unsignedWait = wait
        // It is shown to people, so that a line has to be enough.
        let text = json["detail"]?.string ?? ""
        detail = text.utf8.count <= 512 && ForeignText.bounded(text, limit: 512) == text ? text : ""
    }

    /// How long a refusal lasts at least, where the service does not say it: nobody changes such a thing within minutes.
    private static let waits: [String: TimeSpan] = [
        "userUnknown": .hours(24), "userDisabled": .hours(24), "wrongUser": .hours(24), "unenrolled": .hours(24),
        "notLicensed": .hours(12), "notTargeted": .hours(12), "migrating": .hours(24), "deviceBlocked": .hours(24),
        "tooOld": .hours(24),
    ]

    private static let longestClaims = 4096

    /// Problems that a client of this version causes only if something is wrong.
    private static let suspicious: Set = ["badSignature", "malformed"]

    /// The failure that a request ends with. An unknown problem neither wipes nor unenrolls.
    package func failure(isEnrollment: Bool) -> AuthorityFailure {
        func failure(
            _ code: StatusCode, _ message: String = "", needsToken: Bool = false, isUserRefused: Bool = false,
            for key: MessageKey? = nil
        ) -> AuthorityFailure {
            var failure = AuthorityFailure(
                code, detail.isEmpty ? message : detail, needsToken: needsToken, isUserRefused: isUserRefused, for: key)
            failure.isSigned = true
            failure.challenge = challenge
            if needsToken {
                (failure.claims, failure.maxAge, failure.needsPerson) = (claims, maxAge, needsPerson)
            }
            failure.retryAfter = retryAfter ?? [ServiceProblem.waits[name], unsignedWait].compactMap(\.self).max()
            failure.isSuspicious = ServiceProblem.suspicious.contains(name)
            return failure
        }
        func refused(_ message: String, _ key: MessageKey, isUser: Bool = true) -> AuthorityFailure {
            failure(
                isEnrollment ? .authRequired : .reEnrollForUnenrolledUser, message, isUserRefused: isUser,
                for: isEnrollment ? key : nil)
        }
        return switch name {
        case "needsToken":
            failure(
                .authRequired,
                "The user needs an invitation: none was given, or it is unknown, expired or for another app",
                needsToken: true)
        case "wrongUser": refused("The invitation is for another account id", .statusUnknownUser, isUser: false)
        case "userUnknown": refused("The authority knows no such user", .statusUnknownUser)
        case "userDisabled": refused("The user is disabled", .statusDisabledUser)
        case "unenrolled": failure(.reEnrollForUnenrolledUser, isUserRefused: true)
        case "migrating": failure(.tenantMigration)
        case "notLicensed": failure(.accountNotLicensed)
        case "deviceBlocked": failure(.deviceBlockedEnrollment)
        case "notTargeted": failure(.licensedNotTargeted)
        case "gone": failure(.policyRecordGone)
        case "busy": failure(ServiceAuthority.code(isEnrollment), "the service is busy")
        case "tooOld": failure(.parsingFailure, "the service needs a newer libmam")
        case "clockSkew": failure(.parsingFailure, "the service's clock and this computer's differ")
        case _ where status == 500: failure(.internalError)
        default: failure(.parsingFailure, "the service refused the request (\(ForeignText.bounded(name, limit: 80)))")
        }
    }
}
