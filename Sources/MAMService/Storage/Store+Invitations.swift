import MAMDirectory
import MAMProtection
import MAMSupport

/// Invitations: codes that enroll one user once, in place of a sign-in. Only their digests are stored.
extension Store {
    /// An invitation: whom it enrolls, where, and who has used it.
    struct Invitation {
        let accountKey: [UInt8]
        /// The only app that it enrolls; nil for any.
        let app: String?
        let expires: Instant
        /// The thumbprint of the key, or the registration, that used it.
        let usedBy: String?

        /// Whether an app may use it now, unless somebody else has.
        func holds(for app: String, _ now: Instant) -> Bool { now < expires && (self.app == nil || self.app == app) }
    }

    /// Store an invitation by the digest of its code. Those that have expired are removed.
    func addInvitation(_ digest: [UInt8], accountKey: [UInt8], app: String?, expires: Instant, now: Instant)
        throws(MAMError)
    {
        try database.run("DELETE FROM invitations WHERE expires < ?", .integer(now.milliseconds))
        try database.run(
            "INSERT INTO invitations (digest, account_key, app, expires) VALUES (?, ?, ?, ?)", .blob(digest),
            .blob(accountKey), .optional(app), .integer(expires.milliseconds))
    }

    /// The invitation with a code.
    func invitation(_ digest: [UInt8]) throws(MAMError) -> Invitation? {
        try database.first(
            "SELECT account_key, app, expires, used_by FROM invitations WHERE digest = ?", .blob(digest)
        ) {
            Invitation(
                accountKey: $0.blob(0), app: $0.text(1), expires: Instant(milliseconds: $0.integer(2)),
                usedBy: $0.text(3))
        }
    }

    /// Give an invitation to the key or the registration that uses it.
    func useInvitation(_ digest: [UInt8], by user: String) throws(MAMError) {
        try database.run(
            "UPDATE invitations SET used_by = ? WHERE digest = ?", .text(user), .blob(digest))
    }
}
