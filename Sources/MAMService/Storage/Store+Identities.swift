import MAMDirectory
import MAMSupport

/// The persons of a provider whose accounts are known: at one provider, an account is one person's and a person has one account. They
/// outlive users, so that a name that is given to somebody else does not become the former person's again.
extension Store {
    /// The key of the account that a person has; nil for none.
    func boundAccount(issuer: String, subject: String) throws(MAMError) -> [UInt8]? {
        try database.first(
            "SELECT account_key FROM identities WHERE issuer = ? AND subject = ?", .text(issuer), .text(subject)
        ) { $0.blob(0) }
    }

    /// The person who has an account; nil for nobody.
    func boundSubject(issuer: String, accountKey: [UInt8]) throws(MAMError) -> String? {
        try database.first(
            "SELECT subject FROM identities WHERE issuer = ? AND account_key = ?", .text(issuer), .blob(accountKey)
        ) { $0.text(0) ?? "" }
    }

    /// Give an account to a person who has none.
    func bind(issuer: String, subject: String, accountKey: [UInt8], now: Instant) throws(MAMError) {
        try database.run(
            "INSERT INTO identities VALUES (?, ?, ?, ?)", .text(issuer), .text(subject), .blob(accountKey),
            .integer(now.milliseconds))
    }

    /// Take an account from its person.
    func unbind(issuer: String, accountKey: [UInt8]) throws(MAMError) {
        try database.run(
            "DELETE FROM identities WHERE issuer = ? AND account_key = ?", .text(issuer), .blob(accountKey))
    }

    /// Count a refusal of an enrollment, by its reason and the person; "" for nobody whom the provider has vouched for.
    func recordRefusal(_ reason: String, issuer: String, subject: String, now: Instant) throws(MAMError) {
        try database.run(
            """
            INSERT INTO sign_in_refusals VALUES (?1, ?2, ?3, 1, ?4, ?4)
            ON CONFLICT (reason, issuer, subject) DO UPDATE SET count = sign_in_refusals.count + 1, latest = ?4
            """, .text(reason), .text(issuer), .text(subject), .integer(now.milliseconds))
    }
}
