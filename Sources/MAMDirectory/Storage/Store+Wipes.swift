import MAMSupport

/// A wipe request applies to the enrollments of its user (and of its app and device, where it names them) that existed when it was
/// made: those whose wipe mark is below its id. An account that enrolls again is therefore not wiped by an old request.
extension Store {
    private static let appliesCondition =
        "account_key = ? AND (app IS NULL OR app = ?) AND (device_tag IS NULL OR device_tag IN (?, ?))"

    /// The highest id that a wipe request ever had, which is the wipe mark of a new enrollment.
    package func latestWipe() throws(MAMError) -> Int64 {
        // Where changes are counted, wipe ids are such numbers.
        if countsChanges { return try sequence() }
        return try database.first("SELECT seq FROM sqlite_sequence WHERE name = 'wipes'") { $0.integer(0) } ?? 0
    }

    /// The id of a new request: above every earlier one, and where changes are counted, the number of this change. Elsewhere it is the
    /// number of seconds since a day, because a file that was put back does not know the requests since its copy, whose ids are marks of
    /// enrollments.
    private func newWipeId(_ now: Instant) throws(MAMError) -> Int64 {
        if countsChanges { return try sequence() }
        let seconds = (now - Store.firstDayOfWipes).milliseconds / 1000
        let (next, isOver) = try latestWipe().addingReportingOverflow(1)
        guard !isOver else { throw MAMError(.noSpace, "\(database.path): has had every wipe id that there is") }
        return max(next, seconds)
    }

    /// 2026-11-28, midnight UTC.
    private static let firstDayOfWipes = Instant(milliseconds: 1_795_824_000_000)

    /// Request a wipe of a user, in one app and on one device where they are named. Returns its id. Where changes are counted, this one
    /// has been.
    package func requestWipe(of user: User, app: String?, deviceTag: String?, now: Instant) throws(MAMError) -> Int64 {
        let id = try newWipeId(now)
        try database.run(
            "INSERT INTO wipes (id, account_id, account_key, upn, app, device_tag, requested) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .integer(id), .text(user.accountId), .blob(user.accountKey), .text(user.upn), .optional(app),
            .optional(deviceTag), .integer(now.milliseconds))
        // Apps that have to wipe must not receive newer keys.
        try rotateExchangeKey(accountKey: user.accountKey)
        return id
    }

    /// When a wipe of a user in every app on every computer was requested last; nil where none was.
    func timeOfWipe(of user: User) throws(MAMError) -> Instant? {
        try database.first(
            """
            SELECT requested FROM wipes WHERE account_key = ? AND app IS NULL AND device_tag IS NULL ORDER BY id DESC LIMIT 1
            """, .blob(user.accountKey)
        ) { Instant(milliseconds: $0.integer(0)) }
    }

    /// Account ids under which a wipe of the same UPN was requested, other than the user's present one: the user was removed and added
    /// again, and apps that enrolled before have the former id.
    func formerIds(of user: User) throws(MAMError) -> [String] {
        try database.all(
            "SELECT DISTINCT account_id, upn, account_key FROM wipes ORDER BY account_id"
        ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.blob(2)) }
        .filter { $0.2 != user.accountKey && Identity.fold($0.1) == Identity.fold(user.upn) }.map(\.0)
    }

    /// Whether a user may have been removed and added again under another account id: somebody was removed whose keys are all older.
    func mayHaveReturned(_ user: User) throws(MAMError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM exchange_keys k
            WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.account_key = k.account_key)
                AND k.row < (SELECT min(row) FROM exchange_keys WHERE account_key = ?)
                AND NOT EXISTS (SELECT 1 FROM exchange_keys l WHERE l.account_key = k.account_key AND l.row > k.row) LIMIT 1
            """, .blob(user.accountKey)
        ) { _ in true } ?? false
    }

    /// The account id of a user who had this name and has it no more: that of a renaming, of a wipe, or of exchange keys, which keep ids
    /// alone.
    func formerId(named name: Identity) throws(MAMError) -> String? {
        if let renamed = try formerAccount(named: name) { return renamed }
        let ofWipe = try database.all("SELECT account_id, upn FROM wipes ORDER BY id DESC") {
            ($0.text(0) ?? "", $0.text(1) ?? "")
        }.first { Identity.fold($0.0) == name.folded || Identity.fold($0.1) == name.folded }
        if let ofWipe { return ofWipe.0 }
        return try database.first("SELECT 1 FROM exchange_keys WHERE account_key = ? LIMIT 1", .blob(name.folded)) {
            _ in
            name.text
        }
    }

    /// The latest request that applies to an enrollment with this mark.
    package func pendingWipe(
        accountKey: [UInt8], after mark: Int64, app: AppFacts, tags: [String]
    ) throws(MAMError) -> Int64? {
        try database.first(
            "SELECT id FROM wipes WHERE \(Store.appliesCondition) AND id > ? ORDER BY id DESC LIMIT 1",
            .blob(accountKey), .text(app.id), .text(tags.first ?? ""), .text(tags.last ?? ""), .integer(mark)
        ) { $0.integer(0) }
    }

    /// Record that an enrollment has carried out all its requests.
    package func recordWiped(
        _ registration: String, accountKey: [UInt8], after mark: Int64, app: AppFacts, tags: [String], now: Instant
    ) throws(MAMError) {
        try database.run(
            """
            INSERT INTO wipes_done SELECT id, ?4, ?5 FROM wipes WHERE account_key = ?1
                AND (app IS NULL OR app = ?2) AND (device_tag IS NULL OR device_tag IN (?3, ?7)) AND id > ?6
            ON CONFLICT DO NOTHING
            """,
            .blob(accountKey), .text(app.id), .text(tags.first ?? ""), .text(registration), .integer(now.milliseconds),
            .integer(mark), .text(tags.last ?? ""))
    }

    /// Record that an enrollment whose registration is gone has carried out one request.
    func recordWiped(_ registration: String, accountKey: [UInt8], wipe: Int64, now: Instant) throws(MAMError) {
        try database.run(
            """
            INSERT INTO wipes_done SELECT id, ?, ? FROM wipes WHERE id = ? AND account_key = ? ON CONFLICT DO NOTHING
            """,
            .text(registration), .integer(now.milliseconds), .integer(wipe), .blob(accountKey))
    }
}
