import MAMValues

/// The figures that monitors draw from a status report.
struct StatusFigures {
    let accounts: Int
    let managed: Int
    let due: Int
    let warnings: Int
    let critical: Int
    let wipes: Int
    let unreported: Int
    /// Seconds since 1970 of the earliest of the accounts' latest check-ins; nil without one.
    let oldestCheckIn: Int?
    let time: Int

    init(_ report: JSON) {
        let accounts = report["accounts"].elements
        let problems = report["problems"].elements
        self.accounts = accounts.count
        managed = accounts.count { $0["managed"] == .bool(true) }
        due = accounts.count { $0["due"] == .bool(true) }
        critical = problems.count { $0["severity"] == .string("critical") }
        warnings = problems.count - critical
        wipes = report["wipes"].elements.count
        unreported = report["unenrollments"].elements.count
        oldestCheckIn = accounts.compactMap { $0["lastCheckIn"].string.flatMap(RelativeTime.seconds(of:)) }.min()
        time = report["time"].string.flatMap(RelativeTime.seconds(of:)) ?? 0
    }
}
