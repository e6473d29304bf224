import MAMMessages
import MAMSupport

/// The way in which a person has to have signed in, by the claims of their token. A token without it is answered with what a provider
/// has to be asked for: RFC 9470, and the parameter `claims` of OpenID Connect.
struct SignInStrength: Sendable, Equatable {
    /// A claim of which one of these values has to be there, such as `acrs` or `acr`.
    struct Claim: Sendable, Equatable {
        let name: String
        let values: [String]
    }

    let claims: [Claim]
    /// The time since the person has authenticated at the provider, at most; nil for any.
    let maxAge: TimeSpan?

    /// Claims with rules of their own.
    private static let reserved: Set = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "auth_time", "azp", "client_id", "appid", "cid", "scope", "scp",
    ]
    private static let most = 8

    /// Read the member "claims": an object of lists of texts.
    static func claims(_ json: JSON) throws(MAMError) -> [Claim] {
        guard !json.isNull else { return [] }
        guard let members = json.object, (1...most).contains(members.count) else {
            throw .argument("signIn.claims", "has to be an object with 1 to \(most) claims: {\"acrs\":[\"c1\"]}")
        }
        var claims: [Claim] = []
        for (name, value) in members {
            guard isPlain(name), !reserved.contains(name) else {
                throw .argument("signIn.claims", "cannot have \(ForeignText.quoted(name)); name acrs, acr or amr")
            }
            let values = (value.array ?? []).compactMap(\.string)
            guard (1...most).contains(values.count), values.count == value.array?.count, values.allSatisfy(isPlain)
            else {
                throw .argument(
                    "signIn.claims.\(name)",
                    "has to be a list of 1 to \(most) texts of at most 64 visible characters, one of which a token has to have"
                )
            }
            claims.append(Claim(name: name, values: values))
        }
        return claims
    }

    /// Whether a text can stand in the field WWW-Authenticate: quotes and spaces would end it.
    private static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Whether a token has each claim, and is of a person who has authenticated lately; `skew` is the difference of clocks that is
    /// allowed, in seconds.
    func isMet(by token: JSON, at now: Double, skew: Double) -> Bool {
        let hasClaims = claims.allSatisfy { claim in
            let stated = token[claim.name]
            let texts = stated?.string.map { [$0] } ?? (stated?.array ?? []).compactMap(\.string)
            return !Set(claim.values).isDisjoint(with: texts)
        }
        guard let maxAge else { return hasClaims }
        guard let time = SignInSettings.seconds(token["auth_time"]) else { return false }
        return hasClaims && time <= now + skew && now < time + Double(maxAge.milliseconds) / 1000 + skew
    }

    /// The parameter `claims` with which a provider is asked for such a token, as text; nil where any counts.
    private var request: String? {
        var members: [JSON.Member] = claims.map { claim in
            let isOne = claim.values.count == 1
            return (
                claim.name,
                [
                    "essential": true,
                    isOne ? "value" : "values": isOne ? .string(claim.values[0]) : .strings(claim.values),
                ]
            )
        }
        if maxAge != nil { members.append(("auth_time", ["essential": true])) }
        guard !members.isEmpty else { return nil }
        return JSON.object([("access_token", .object(members))]).text
    }

    private var maxAgeInSeconds: Int64? { maxAge.map { $0.milliseconds / 1000 } }

    /// Members of the problem `needsToken`.
    var members: [JSON.Member] {
        (request.map { [("claims", .string($0))] } ?? []) + (maxAgeInSeconds.map { [("maxAge", .integer($0))] } ?? [])
    }

    /// The parameters of a challenge in the field WWW-Authenticate (RFC 9470).
    func parameters(isInsufficient: Bool) -> [String] {
        var parameters: [String] = []
        if isInsufficient { parameters.append("error=\"insufficient_user_authentication\"") }
        let values = claims.filter { $0.name == "acrs" || $0.name == "acr" }.flatMap(\.values)
        if !values.isEmpty { parameters.append("acr_values=\"\(values.joined(separator: " "))\"") }
        if let maxAgeInSeconds { parameters.append("max_age=\"\(maxAgeInSeconds)\"") }
        if let request { parameters.append("claims=\"\(base64url(Array(request.utf8)))\"") }
        return parameters
    }
}
