import CProcess
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// Trying and changing a PIN. Each attempt is committed before the PIN is compared, so that an attempt that is killed counts; the
/// apps of a group make one attempt at a time.
extension PINs {
    private static let timeout: Int64 = 30_000

    /// Try a PIN. The log line is written after the lease has ended, because it calls the host's log function.
    func check(_ pin: SecretBytes, of account: Account) throws(MAMError) -> PINAttempt {
        let attempt = try exclusively { () throws(MAMError) in try countAndCompare(pin, with: try accountPIN(account)) }
        if case .right = attempt {
            log.write(.info, "the PIN of account \(account.row.id.hex) was entered")
        } else {
            log.write(.info, "the PIN of account \(account.row.id.hex) was not entered, or was wrong")
        }
        return attempt
    }

    /// Run while no other session of the group tries or sets a PIN.
    private func exclusively<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        let until = process_clock_monotonic_ms() &+ PINs.timeout
        let wait = interrupts.beginWait()
        while true {
            if let lease = try state.lease(.pin) {
                defer { lease.end() }
                return try body()
            }
            guard process_clock_monotonic_ms() < until else {
                throw MAMError(.busy, "others try PINs for too long; try again")
            }
            guard !wait.isInterrupted else { throw .interrupted }
            process_sleep(5)
        }
    }

    /// Count an attempt, and only then compare the PIN; a right and a wrong PIN take the same path. Call it inside
    /// ``exclusively(_:)`` alone.
    private func countAndCompare(_ pin: SecretBytes, with accountPIN: AccountPIN) throws(MAMError) -> PINAttempt {
        let (rule, subject) = (accountPIN.rule, accountPIN.subject)
        let attemptResult = try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
            try view.pins.countAttempt(subject, limit: rule.maximumAttempts)
        }
        let countedRecord: PINRecord
        switch attemptResult {
        case .notSet: return .notSet
        case .exhausted: return .exhausted
        case .counted(let record): countedRecord = record
        }
        let isRight: Bool
        do throws(MAMError) {
            isRight = countedRecord.hash.matches(
                try countedRecord.hash.withSameParameters(for: pin, id: subject.id, key: subject.key))
        } catch {
            // The PIN was not compared, so the attempt does not count.
            try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
                guard var record = try view.pins.load(subject), record.countedAttempts > 0 else { return }
                record.countedAttempts -= 1
                try view.pins.store(record, subject)
            }
            throw error
        }
        let isWeak = !pin.withSpan { rule.violations(in: $0, isNew: false) }.isEmpty
        let stronger = isRight ? try strengthened(countedRecord.hash, pin, subject) : nil
        let now = clock.now()
        let status = try state.write(isRollbackProtected: true) { (view) throws(MAMError) -> PINStatus in
            // Another app may have changed the record meanwhile.
            var record = try view.pins.load(subject) ?? countedRecord
            if isRight {
                record.countedAttempts = 0
                record.latest = max(now, record.latest)
                record.lastCheck = (rule.json, isWeak)
                record.wipedIn = []
                if let stronger { record.hash = stronger }
            }
            try view.pins.store(record, subject)
            let status = PINStatus(rule, isRequired: accountPIN.isRequired, PINFacts(record), now: now)
            try view.record(isRight && status.opens ? .pin : nil, for: accountPIN.account, at: clock.reading)
            return status
        }
        return isRight
            ? .right(status) : .wrong(left: max(0, rule.maximumAttempts - Int(clamping: countedRecord.countedAttempts)))
    }

    /// The hash at the current cost, where an earlier release made it at a lower one.
    private func strengthened(_ hash: PINHash, _ pin: SecretBytes, _ subject: PINSubject) throws(MAMError) -> PINHash? {
        guard hash.cost.isBelow(.current) else { return nil }
        return try PINHash(pin, id: subject.id, key: subject.key, salt: hash.salt)
    }

    /// Set a PIN in place of the former one, which is tried first, or of none.
    func change(of account: Account, old: SecretBytes?, new: SecretBytes) throws(MAMError) {
        let isGranted = hasGrant(account.row.id)
        let failed = try exclusively { () throws(MAMError) -> PINAttempt? in
            // A row that does not verify must not keep a person who has signed in from a new PIN.
            let former = try accountPIN(account, despiteDamage: isGranted)
            try PINs.checkAllowed(new, by: former.rule)
            if former.record != nil, !isGranted {
                guard let old else {
                    throw MAMError(
                        .denied, "old: is missing; the PIN that is set has to be given, or reset by signing in",
                        [("argument", "old"), ("reason", "oldRequired")], for: .pinOldRequired)
                }
                let attempt = try countAndCompare(old, with: former)
                guard case .right = attempt else { return attempt }
            } else if former.record == nil, old != nil {
                return .notSet
            }
            try store(new, in: former)
            return nil
        }
        if let failed {
            let isWiped = try wipeIfLastAttempt(failed, of: account)
            throw PINs.error(for: failed, isWiped: isWiped)
        }
        endGrant(account.row.id)
        log.write(.info, "the PIN of account \(account.row.id.hex) was set")
    }

    private static func checkAllowed(_ pin: SecretBytes, by rule: PINRule) throws(MAMError) {
        let violations = pin.withSpan { rule.violations(in: $0, isNew: true) }
        if !violations.isEmpty { throw unfit(violations) }
    }

    /// The error for a PIN that may not be chosen.
    private static func unfit(_ violations: [PINViolation]) -> MAMError {
        MAMError(
            .denied, "the new PIN " + violations.map(\.message).joined(separator: ", and "),
            [("reason", "unfit"), ("lacks", .strings(violations.map(\.name)))], for: .pinUnfit)
    }

    private func store(_ pin: SecretBytes, in accountPIN: AccountPIN) throws(MAMError) {
        let (rule, subject, former) = (accountPIN.rule, accountPIN.subject, accountPIN.record)
        // All PINs of an account share one salt, so that one computation shows whether this one was used before.
        let hash = try PINHash(pin, id: subject.id, key: subject.key, salt: former?.hash.salt)
        var computed = [hash]
        for entry in (former.map { [$0.hash] + $0.history } ?? []).prefix(rule.previousBlocked) {
            let candidate: PINHash
            if let existing = computed.first(where: { $0.isComparable(to: entry) }) {
                candidate = existing
            } else {
                candidate = try entry.withSameParameters(for: pin, id: subject.id, key: subject.key)
                computed.append(candidate)
            }
            if candidate.matches(entry) { throw PINs.unfit([.usedBefore(count: rule.previousBlocked)]) }
        }
        // The attempt at the former PIN may have raised its cost.
        try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
            let latest = former == nil ? nil : try view.pins.load(subject)
            try view.pins.store(PINRecord(hash, rule: rule.json, now: clock.now(), after: latest), subject)
            try view.record(.pin, for: accountPIN.account, at: clock.reading)
        }
    }

    // MARK: The last attempt

    /// Wipe the account if no attempt is left and its policy says so; returns whether this attempt has wiped it.
    func wipeIfLastAttempt(_ attempt: PINAttempt, of account: Account) throws(MAMError) -> Bool {
        switch attempt {
        case .right, .notSet: false
        case .wrong(let left) where left > 0: false
        case .wrong, .exhausted: try wipeAtLimit(account)
        }
    }

    /// Wipe the account in this app where its policy says so after this many attempts, unless these attempts have wiped it before.
    /// The PIN stays used up for the other apps of the group.
    func wipeAtLimit(_ account: Account) throws(MAMError) -> Bool {
        let accountPIN = try accountPIN(account)
        guard let record = accountPIN.record, accountPIN.rule.wipes(after: Int(clamping: record.countedAttempts)),
            !record.wipedIn.contains(settings.managedApp)
        else { return false }
        try wipes.wipe(account.row, Tombstone(reason: .pin, wipe: nil))
        return true
    }
}
