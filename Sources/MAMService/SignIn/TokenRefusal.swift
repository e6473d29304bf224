/// Why an access token does not enroll.
public enum TokenRefusal: String, Error, Sendable, CaseIterable {
    /// It is no signed token in the compact form, or longer than is read.
    case malformed
    /// It is an ID token, or another kind than an access token.
    case notAccessToken
    /// Its algorithm is none of RS256, ES256 and EdDSA, or not that of its key.
    case algorithm
    case wrongIssuer, unknownKey, badSignature, wrongAudience, wrongClient, missingScope, expired, notYetValid
    /// The person has to sign in at the provider in a stronger way, or again.
    case insufficientAuthentication
    /// It is bound to no key, and the organisation takes no others.
    case notBound
    /// It is bound to a key, and came without a proof by that key.
    case boundToKey
    /// The proof of its key is not for this request, or by another key.
    case badProof
    /// The provider's keys cannot be read now.
    case providerUnavailable
    /// It names no account, by no claim that counts.
    case noAccount
    case emailNotVerified
    /// The account belongs to another person of the provider.
    case otherSubject
    /// It was issued before an administrator ended the person's sign-ins.
    case revoked
    /// The service has no provider.
    case notAccepted

    /// The refusal that the app receives.
    var refusal: Refusal {
        switch self {
        case .providerUnavailable: .busy
        case .noAccount, .emailNotVerified, .otherSubject: .wrongUser
        default: .needsToken
        }
    }

    /// One line for a person.
    var detail: String {
        switch self {
        case .malformed: "the token is no signed access token"
        case .notAccessToken: "the token is no access token"
        case .algorithm: "the token's algorithm is not accepted"
        case .wrongIssuer: "the token is another provider's"
        case .unknownKey: "the provider has no key with the token's kid"
        case .badSignature: "the token's signature does not verify"
        case .wrongAudience: "the token is for another audience"
        case .wrongClient: "the token was given to another client"
        case .missingScope: "the token lacks a scope"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .insufficientAuthentication: "the person has to sign in again, as the organisation requires it"
        case .notBound: "the token is not bound to a key (DPoP), as the organisation requires it"
        case .boundToKey: "the token is bound to a key, and came without a proof by that key"
        case .badProof: "the proof of the token's key is not for this request, or by another key"
        case .providerUnavailable: "the provider's keys cannot be read now"
        case .noAccount: "the token names no account here"
        case .emailNotVerified: "the provider has not verified the token's email"
        case .revoked: "the token was issued before the sign-ins were ended"
        case .otherSubject: "the account belongs to another person at the provider; an administrator can change that"
        case .notAccepted: "this service takes invitations, and no tokens"
        }
    }
}
