import CPlatform
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// Trying and changing a PIN. Each attempt is committed before the PIN is looked at, and one is made at a time in the group:
/// whoever finds no attempt left knows that the last one was wrong, or was cut off.
extension Session {
    private static let patience: Int64 = 30_000

    /// Run while nobody else of the group tries or sets a PIN.
    func alone<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        let until = platform_time_monotonic() &+ Session.patience
        let wait = interrupts.begin()
        while true {
            if let lease = try state.lease(.pin) {
                defer { lease.end() }
                return try body()
            }
            guard platform_time_monotonic() < until else {
                throw MAMError(.busy, "others try PINs for too long; try again")
            }
            guard !wait.isOver else { throw .interrupted }
            platform_sleep(5)
        }
    }

    /// Count an attempt, and only then look whether the PIN is right. A right one and a wrong one take the same path. Only
    /// while ``alone(_:)``.
    func tryPIN(_ pin: SecretBytes, _ situation: PINSituation) throws(MAMError) -> PINAttempt {
        let (rule, subject) = (situation.rule, situation.subject)
        let counted = try state.write(isCounted: true) { (view) throws(MAMError) in
            try view.pins.count(subject, limit: rule.attempts)
        }
        let former: PINRecord
        switch counted {
        case .notSet: return .notSet
        case .exhausted: return .exhausted
        case .counted(let record): former = record
        }
        let isRight: Bool
        do throws(MAMError) {
            isRight = former.hash.matches(try former.hash.same(pin, id: subject.id, key: subject.key))
        } catch {
            // It was not looked at: nobody has learnt anything.
            try state.write(isCounted: true) { (view) throws(MAMError) in
                guard var record = try view.pins.load(subject), record.failures > 0 else { return }
                record.failures -= 1
                try view.pins.store(record, subject)
            }
            throw error
        }
        let isWeak = !pin.withUnsafeBytes { rule.lacks($0, isNew: false) }.isEmpty
        let dearer = isRight ? try raised(former.hash, pin, subject) : nil
        let now = clock.now()
        let standing = try state.write(isCounted: true) { (view) throws(MAMError) -> PINStanding in
            // What another app noted meanwhile stays.
            var record = try view.pins.load(subject) ?? former
            if isRight {
                record.failures = 0
                record.latest = max(now, record.latest)
                record.judged = (rule.json, isWeak)
                record.wipedIn = []
                if let dearer { record.hash = dearer }
            }
            try view.pins.store(record, subject)
            let standing = PINStanding(rule, isRequired: situation.isRequired, PINFacts(record), now: now)
            try notePIN(isRight && standing.opens, situation.account, view)
            return standing
        }
        return isRight ? .right(standing) : .wrong(left: max(0, rule.attempts - Int(clamping: former.failures)))
    }

    /// The hash as a new one is made, where an earlier release spent less on it.
    private func raised(_ hash: PINHash, _ pin: SecretBytes, _ subject: PINSubject) throws(MAMError) -> PINHash? {
        guard hash.cost.isBelow(.current) else { return nil }
        return try PINHash(pin, id: subject.id, key: subject.key, salt: hash.salt)
    }

    /// That the account's PIN was shown in an app of the group, for the launches of all of them. Right or wrong: the same work.
    private func notePIN(_ isShown: Bool, _ account: Account, _ view: StateView) throws(MAMError) {
        try note(isShown ? .pin : nil, for: account, view)
    }

    /// Set a PIN in place of another, which is tried first, or of none.
    func changePIN(of account: Account, old: SecretBytes?, new: SecretBytes) throws(MAMError) {
        let isGranted = hasPINGrant(account.row.id)
        let failed = try alone { () throws(MAMError) -> PINAttempt? in
            // A row that was changed outside libmam does not keep a person who has signed in from a new PIN.
            let situation = try pinSituation(account, despiteDamage: isGranted)
            try Session.check(situation.rule, new)
            if situation.record != nil, !isGranted {
                guard let old else {
                    throw MAMError(
                        .denied, "old: is missing; the PIN that is set has to be given, or reset by signing in",
                        [("argument", "old"), ("reason", "oldRequired")])
                }
                let attempt = try tryPIN(old, situation)
                guard case .right = attempt else { return attempt }
            } else if situation.record == nil, old != nil {
                return .notSet
            }
            try keep(new, situation)
            return nil
        }
        if let failed { throw try refusal(failed, account) }
        takePINGrant(account.row.id)
        log.write(.info, "the PIN of account \(account.row.id.hex) was set")
    }

    private static func check(_ rule: PINRule, _ pin: SecretBytes) throws(MAMError) {
        let lacks = pin.withUnsafeBytes { rule.lacks($0, isNew: true) }
        if !lacks.isEmpty { throw unfit(lacks) }
    }

    /// A PIN that may not be chosen.
    private static func unfit(_ lacks: [PINLack]) -> MAMError {
        MAMError(
            .denied, "the new PIN " + lacks.map(\.message).joined(separator: ", and "),
            [("reason", "unfit"), ("lacks", .strings(lacks.map(\.name)))])
    }

    private func keep(_ pin: SecretBytes, _ situation: PINSituation) throws(MAMError) {
        let (rule, subject, former) = (situation.rule, situation.subject, situation.record)
        // One salt for all PINs of an account: one computation finds out whether it was used before.
        let hash = try PINHash(pin, id: subject.id, key: subject.key, salt: former?.hash.salt)
        var computed = [hash]
        for entry in (former.map { [$0.hash] + $0.history } ?? []).prefix(rule.previousBlocked) {
            let mine: PINHash
            if let known = computed.first(where: { $0.isComparable(to: entry) }) {
                mine = known
            } else {
                mine = try entry.same(pin, id: subject.id, key: subject.key)
                computed.append(mine)
            }
            if mine.matches(entry) { throw Session.unfit([.usedBefore(count: rule.previousBlocked)]) }
        }
        // The attempt at the former one may have raised what it costs.
        try state.write(isCounted: true) { (view) throws(MAMError) in
            let latest = former == nil ? nil : try view.pins.load(subject)
            try view.pins.store(PINRecord(hash, rule: rule.json, now: clock.now(), after: latest), subject)
            try notePIN(true, situation.account, view)
        }
    }

    // MARK: The last attempt

    /// Wipe the account in this app, where a policy says so after so many attempts and it was not done for these before: enrolled
    /// anew, it is not wiped again. The PIN itself stays used up for the other apps of the group.
    func wipeAtLimit(_ account: Account) throws(MAMError) -> Bool {
        let situation = try pinSituation(account)
        let app = settings.managedApp
        guard let record = situation.record, situation.rule.wipes(after: Int(clamping: record.failures)),
            !record.wipedIn.contains(app)
        else { return false }
        try wipe(account, Tombstone(reason: Session.pinReason, wipe: nil)) { (view) throws(MAMError) in
            try markWiped(account.accountId, view)
        }
        return true
    }

    /// Why a wipe was promised.
    static let pinReason = "pin"

    func markWiped(_ accountId: String, _ view: StateView) throws(MAMError) {
        let subject = try view.pins.subject(of: Identity.fold(accountId))
        guard var record = try view.pins.load(subject) else { return }
        record.wipedIn = record.wipedIn.filter { $0 != settings.managedApp } + [settings.managedApp]
        try view.pins.store(record, subject)
    }
}
