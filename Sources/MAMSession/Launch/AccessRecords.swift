import MAMPolicy
import MAMState
import MAMSupport

/// The access records of a group's accounts: one row, so that its apps ask a person once.
struct AccessRecords {
    /// The most accounts that are remembered; the least recently used one is dropped.
    private static let capacity = 256

    private var records: [String: AccessRecord] = [:]

    /// Load the row. One that does not verify counts as missing.
    init(_ view: StateView) throws(MAMError) {
        let kept: JSON?
        do throws(MAMError) { kept = try view.groupValues.value(.access) } catch {
            guard error.code == .tampered else { throw error }
            kept = nil
        }
        for (key, json) in kept?.object ?? [] { records[key] = AccessRecord(json: json) }
    }

    /// The record of an account.
    subscript(account: Account) -> AccessRecord? { records[account.accessKey] }

    /// Record that a person has authenticated.
    mutating func record(_ method: AccessRecord.Method, for account: Account, at now: ClockReading) {
        records[account.accessKey, default: AccessRecord(active: now)].record(
            method, within: account.policy?.recheckPeriod ?? .seconds(0), at: now)
    }

    /// Record that an account is in use: its inactivity is measured from now on.
    mutating func use(_ account: Account, within period: TimeSpan, at now: ClockReading) {
        records[account.accessKey, default: AccessRecord(active: now)].use(within: period, at: now)
    }

    /// Store the row.
    func store(_ view: StateView) throws(MAMError) {
        var records = records
        if records.count > AccessRecords.capacity,
            let oldest = records.min(by: { $0.value.active.time < $1.value.active.time })
        {
            records[oldest.key] = nil
        }
        let members = records.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
        try view.groupValues.set(.access, to: .object(members))
    }
}

extension StateView {
    /// Record that a person has authenticated in an app of the group. Without a method, the row is loaded and stored all
    /// the same: a wrong PIN takes as long as a right one.
    func record(_ method: AccessRecord.Method?, for account: Account, at now: ClockReading) throws(MAMError) {
        var records = try AccessRecords(self)
        if let method { records.record(method, for: account, at: now) }
        try records.store(self)
    }
}

extension Account {
    /// The name of its access record.
    fileprivate var accessKey: String { String(decoding: Identity.fold(accountId), as: UTF8.self) }
}
