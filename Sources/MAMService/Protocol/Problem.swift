import MAMSupport

/// A refusal as the client receives it, RFC 9457.
struct Problem: Error {
    let refusal: Refusal
    /// Why a token does not count, where that is why.
    var reason: TokenRefusal?
    var detail = ""
    /// Members beyond those of RFC 9457.
    var members: [JSON.Member] = []
    /// The seconds after which to ask again; nil leaves it to the client.
    var retryAfter: Int?

    /// Demand a sign-in by the person, which no refresh token stands for: it was ended, or the state may be a copy, which has a copy of
    /// the refresh token.
    mutating func needsPerson() {
        if refusal == .needsToken { members.append(("prompt", "login")) }
    }

    /// The status of HTTP.
    var status: Int {
        switch refusal {
        case .malformed, .badSignature, .clockSkew: 400
        case .needsToken: 401
        case .confirm: 409
        case .gone: 410
        case .busy: 503
        default: 403
        }
    }

    /// The code of docs/status-codes.md that an app gets, for people who read the reply; nil where it depends on the request.
    private var code: Int64? {
        switch refusal {
        case .needsToken, .wrongUser, .userUnknown, .userDisabled: 203
        case .migrating: 222
        case .notLicensed: 200
        case .deviceBlocked: 226
        case .notTargeted: 225
        case .gone: 220
        case .unenrolled: 221
        case .malformed, .badSignature, .clockSkew, .tooOld: 206
        case .busy, .confirm: nil
        }
    }

    private var title: String {
        switch refusal {
        case .malformed: "The request is not understood"
        case .badSignature: "The request's signature does not verify"
        case .clockSkew: "The request was signed at another time"
        case .tooOld: "The client is too old"
        case .busy: "The service cannot answer now"
        case .gone: "The registration is not known any more"
        case .needsToken: "A sign-in or an invitation is needed"
        case .wrongUser: "The invitation or the sign-in is another user's"
        case .userUnknown: "The user is unknown"
        case .userDisabled: "The user is disabled"
        case .migrating: "The organisation is being moved"
        case .notLicensed: "The user has no licence"
        case .deviceBlocked: "The device is blocked"
        case .notTargeted: "No policy reaches the user in this app"
        case .confirm: "The state is older than before, or a copy"
        case .unenrolled: "An administrator ended the registration"
        }
    }

    /// The body, for the API at a URL.
    func json(api: String) -> JSON {
        var object: [JSON.Member] = [
            ("type", .string("\(api)/problems/\(refusal.rawValue)")), ("title", .string(title)),
            ("status", .integer(Int64(status))), ("detail", .string(detail)),
        ]
        if let retryAfter { object.append(("retryAfter", .string("PT\(retryAfter)S"))) }
        if let code { object.append(("code", .integer(code))) }
        return .object(object + members)
    }
}
