import MAMDirectory
import MAMSupport

/// A person who has signed in, and their account.
struct SignedInAccount {
    let person: SignedInPerson
    /// The account's key, nil where no user has the person's name; or why the person has no account.
    let accountKey: Result<[UInt8]?, TokenRefusal>

    /// The account key, for a request that names an account. A person without a user is told so under their own name alone, so that
    /// names cannot be tried out.
    func account(named account: AccountName) -> Result<[UInt8], Refusal> {
        accountKey.mapError(\.refusal).flatMap { key in
            if let key { return .success(key) }
            guard case .success(let name) = person.name,
                [account.accountId, account.upn].contains(where: { $0.map(Identity.fold) == Identity.fold(name) })
            else { return .failure(.wrongUser) }
            return .failure(.userUnknown)
        }
    }
}

extension Store {
    /// The account of a person. One who is known counts as whom they were known; anybody else is found by their name, unless the account
    /// is another person's already.
    func account(of person: SignedInPerson) throws(MAMError) -> SignedInAccount {
        if let bound = try boundAccount(issuer: person.issuer, subject: person.subject) {
            let isRevoked = try revocation(bound).map { person.issued ?? $0 <= $0 } ?? false
            return SignedInAccount(person: person, accountKey: isRevoked ? .failure(.revoked) : .success(bound))
        }
        switch person.name {
        case .failure(let refusal): return SignedInAccount(person: person, accountKey: .failure(refusal))
        case .success(let name):
            guard let identity = try? Identity(name), let user = try user(named: identity) else {
                return SignedInAccount(person: person, accountKey: .success(nil))
            }
            let isFree = try boundSubject(issuer: person.issuer, accountKey: user.accountKey) == nil
            return SignedInAccount(
                person: person, accountKey: isFree ? .success(user.accountKey) : .failure(.otherSubject))
        }
    }

    /// Give an account to the person who enrolled it first.
    func bind(_ person: SignedInPerson, to user: User, now: Instant) throws(MAMError) {
        guard try boundAccount(issuer: person.issuer, subject: person.subject) == nil else { return }
        try bind(issuer: person.issuer, subject: person.subject, accountKey: user.accountKey, now: now)
    }
}
