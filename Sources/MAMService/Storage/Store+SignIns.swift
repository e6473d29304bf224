import MAMDirectory
import MAMSupport

/// When people have signed in last for their registrations, and since when older sign-ins of an account do not count.
extension Store {
    /// The time of a sign-in that an administrator has ended.
    static let endedSignIn = Instant(milliseconds: 0)

    /// Record a sign-in.
    func recordSignIn(_ registration: String, now: Instant) throws(MAMError) {
        try database.run(
            "INSERT INTO sign_ins VALUES (?1, ?2) ON CONFLICT (registration) DO UPDATE SET at = ?2",
            .text(registration), .integer(now.milliseconds))
    }

    /// The time before which sign-ins of an account do not count; nil for none.
    func revocation(_ accountKey: [UInt8]) throws(MAMError) -> Instant? {
        try database.first("SELECT at FROM revocations WHERE account_key = ?", .blob(accountKey)) {
            Instant(milliseconds: $0.integer(0))
        }
    }

    /// End the sign-ins of an account.
    func revoke(_ accountKey: [UInt8], now: Instant) throws(MAMError) {
        try database.run(
            "UPDATE sign_ins SET at = ? WHERE registration IN (SELECT registration FROM registrants WHERE account_key = ?)",
            .integer(Store.endedSignIn.milliseconds), .blob(accountKey))
        try database.run(
            "INSERT INTO revocations VALUES (?1, ?2) ON CONFLICT (account_key) DO UPDATE SET at = ?2",
            .blob(accountKey),
            .integer(now.milliseconds))
    }
}
