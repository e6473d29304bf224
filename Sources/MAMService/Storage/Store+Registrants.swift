import MAMDirectory
import MAMSupport

/// A key that enrolled, and what became of its registration. It is kept beyond the registration's end.
struct Registrant {
    /// How a registration ended, where the app knows of it or another took its place.
    enum End: String {
        case replaced, unenrolled, wiped
    }

    let registration: String
    /// The public key as in SEC 1: 4, x, y.
    let key: [UInt8]
    let sealKey: [UInt8]
    let accountId: String
    let accountKey: [UInt8]
    let app: String
    let deviceTag: String
    /// Wipes up to this id are older than the registration.
    let wipeMark: Int64
    /// The first epoch whose exchange keys it receives.
    let exchangeMark: Int64
    /// nil while it lasts, and where an administrator ended it.
    let end: End?
    /// The wipe that ended it; nil where nobody ordered one.
    let wipe: Int64?
    /// The latest sign-in, ``Store/endedSignIn`` where an administrator ended it; nil where it enrolled without.
    var signedIn: Instant?
}

extension Store {
    private static let columns = """
        registration, key, seal_key, account_id, account_key, app, device_tag, wipe_mark, exchange_mark, "end", wipe, at
        """

    /// The holder of a registration.
    func registrant(registration id: String) throws(MAMError) -> Registrant? {
        try registrant("registration = ?", .text(id))
    }

    /// A holder as it is now: another instance may have changed it since it was read.
    func current(_ holder: Registrant) throws(MAMError) -> Registrant {
        try registrant(registration: holder.registration) ?? holder
    }

    /// The holder of a key.
    func registrant(thumbprint: String) throws(MAMError) -> Registrant? {
        try registrant("thumbprint = ?", .text(thumbprint))
    }

    private func registrant(_ condition: String, _ value: SQLValue) throws(MAMError) -> Registrant? {
        try database.first(
            "SELECT \(Store.columns) FROM registrants LEFT JOIN sign_ins USING (registration) WHERE \(condition)", value
        ) {
            Registrant(
                registration: $0.text(0) ?? "", key: $0.blob(1), sealKey: $0.blob(2), accountId: $0.text(3) ?? "",
                accountKey: $0.blob(4), app: $0.text(5) ?? "", deviceTag: $0.text(6) ?? "", wipeMark: $0.integer(7),
                exchangeMark: $0.integer(8), end: $0.text(9).flatMap(Registrant.End.init(rawValue:)),
                wipe: $0.isNull(10) ? nil : $0.integer(10),
                signedIn: $0.isNull(11) ? nil : Instant(milliseconds: $0.integer(11)))
        }
    }

    /// Store the holder of a new registration.
    func add(_ registrant: Registrant, thumbprint: String, now: Instant) throws(MAMError) {
        try database.run(
            """
            INSERT INTO registrants (registration, thumbprint, key, seal_key, account_id, account_key, app, device_tag,
                wipe_mark, exchange_mark, begun) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(registrant.registration), .text(thumbprint), .blob(registrant.key), .blob(registrant.sealKey),
            .text(registrant.accountId), .blob(registrant.accountKey), .text(registrant.app),
            .text(registrant.deviceTag), .integer(registrant.wipeMark), .integer(registrant.exchangeMark),
            .integer(now.milliseconds))
        if let time = registrant.signedIn { try recordSignIn(registrant.registration, now: time) }
    }

    /// Record how a registration ended. The first end counts, but for a wipe, which may follow another.
    func end(_ registration: String, _ end: Registrant.End, wipe: Int64? = nil, now: Instant) throws(MAMError) {
        try database.run(
            """
            UPDATE registrants SET "end" = ?1, wipe = ?2, ended = ?3
            WHERE registration = ?4 AND ("end" IS NULL OR ?1 = 'wiped')
            """,
            .text(end.rawValue), wipe.map(SQLValue.integer) ?? .null, .integer(now.milliseconds), .text(registration))
        try database.run("DELETE FROM sign_ins WHERE registration = ?", .text(registration))
    }

    /// The earlier holders of an account in an app on a device whose registration has not ended with a wipe.
    func registrants(of accountKey: [UInt8], app: String, deviceTag: String) throws(MAMError) -> [(
        id: String, mark: Int64
    )] {
        try database.all(
            """
            SELECT registration, wipe_mark FROM registrants
            WHERE account_key = ? AND app = ? AND device_tag = ? AND ("end" IS NULL OR "end" <> 'wiped')
            """, .blob(accountKey), .text(app), .text(deviceTag)
        ) { ($0.text(0) ?? "", $0.integer(1)) }
    }
}
