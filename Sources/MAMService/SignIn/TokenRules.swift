import MAMSupport

/// A person as the provider's token describes them.
struct SignedInPerson: Equatable {
    let issuer: String
    /// The provider's id of the person.
    let subject: String
    /// The account id or UPN that a claim states; why there is none.
    let name: Result<String, TokenRefusal>
    /// When the token was issued; nil where it does not say so.
    let issued: Instant?
}

extension SignInSettings {
    /// The difference of clocks that is allowed, in seconds.
    private static let skew: Double = 60

    /// Judge a token whose signature was verified. The refusals come in the order in which they stand here.
    func judge(_ token: AccessToken, now: Instant) -> Result<SignedInPerson, TokenRefusal> {
        let claims = token.claims
        guard token.isIssued(by: self) else { return .failure(.wrongIssuer) }
        guard !SignInSettings.isIDToken(claims) else { return .failure(.notAccessToken) }
        guard !audiences(claims).isDisjoint(with: audiences) else { return .failure(.wrongAudience) }
        guard isFromClient(claims) else { return .failure(.wrongClient) }
        guard SignInSettings.scopes(claims).isSuperset(of: scopes) else { return .failure(.missingScope) }
        if let refusal = SignInSettings.refusal(claims, at: Double(now.milliseconds) / 1000) {
            return .failure(refusal)
        }
        guard
            strength.isMet(by: claims, at: Double(now.milliseconds) / 1000, skew: SignInSettings.skew)
        else { return .failure(.insufficientAuthentication) }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else {
            return .failure(.malformed)
        }
        let issued = SignInSettings.seconds(claims["iat"]).flatMap { Int64(exactly: ($0 * 1000).rounded(.down)) }
            .map(Instant.init(milliseconds:))
        return .success(SignedInPerson(issuer: issuer, subject: subject, name: name(claims), issued: issued))
    }

    /// ID tokens have digests of what was given out beside them, or say that they are one.
    private static func isIDToken(_ claims: JSON) -> Bool {
        ["at_hash", "c_hash", "s_hash"].contains { claims[$0] != nil } || claims["typ"] == "ID"
            || claims["token_use"] == "id" || claims["scope"] == nil && claims["scp"] == nil
    }

    private func audiences(_ claims: JSON) -> Set<String> {
        if let one = claims["aud"]?.string { return [one] }
        let several = claims["aud"]?.array ?? []
        let texts = several.compactMap(\.string)
        return texts.count == several.count ? Set(texts) : []
    }

    /// Providers name the client in one of these; each that is there counts.
    private func isFromClient(_ claims: JSON) -> Bool {
        let named = ["azp", "client_id", "appid", "cid"].compactMap { claims[$0] }
        return !named.isEmpty && named.allSatisfy { $0.string.map(clientIds.contains) ?? false }
    }

    private static func scopes(_ claims: JSON) -> Set<String> {
        guard let given = claims["scope"] ?? claims["scp"] else { return [] }
        if let text = given.string { return Set(text.split(separator: " ").map(String.init)) }
        return Set((given.array ?? []).compactMap(\.string))
    }

    private static func refusal(_ claims: JSON, at now: Double) -> TokenRefusal? {
        guard let expires = seconds(claims["exp"]) else { return .malformed }
        for name in ["nbf", "iat"] {
            guard let claim = claims[name] else { continue }
            guard let begins = seconds(claim) else { return .malformed }
            guard begins - skew <= now else { return .notYetValid }
        }
        return now < expires + skew ? nil : .expired
    }

    static func seconds(_ claim: JSON?) -> Double? {
        switch claim {
        case .integer(let number): Double(number)
        case .decimal(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The account by the claims that count: `oid`, which is for ever one person's, else the claim of the settings.
    private func name(_ claims: JSON) -> Result<String, TokenRefusal> {
        let claim = claims["oid"] != nil ? "oid" : accountClaim
        guard let claim, let name = claims[claim]?.string, (1...512).contains(name.utf8.count) else {
            return .failure(.noAccount)
        }
        guard claim != "email" || claims["email_verified"] == true else { return .failure(.emailNotVerified) }
        return .success(name)
    }
}
