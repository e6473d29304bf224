import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The authority's reply to a check-in, in four steps: carry out a wipe or refusal, compare, commit, follow up. Nothing is visible
/// before the commit, and nothing is lost after it.
extension CheckIns {
    func received(_ reply: CheckInReply, for account: Account, isFirst: Bool) throws(MAMError) -> EnrollmentStatus {
        if let ended = try carryOutWipeOrRefusal(reply, account, isFirst) { return ended }
        let received = Received(reply, for: account, isFirst: isFirst, by: Executable.own())
        let change = try compare(received)
        try commit(received, change)
        return try followUp(received, change)
    }

    /// Carry out a wipe or a refusal in the reply; nil if the reply carries policy.
    private func carryOutWipeOrRefusal(_ reply: CheckInReply, _ account: Account, _ isFirst: Bool) throws(MAMError)
        -> EnrollmentStatus?
    {
        if let wipe = reply.wipe {
            let status = status(.wipeReceived, of: account)
            events.emit(.policyRequest, status)
            return carryOutWipe(reporting: status) { () throws(MAMError) in
                try wipes.wipe(account.row, Tombstone(reason: reply.wipeReason, wipe: wipe > 0 ? wipe : nil))
            }
        }
        // An account that this device refuses gets no policy, but wipes still reach it.
        if let refusal = snapshots.latest.device.accounts.refusalCode(of: account.record) {
            return try checkInFailed(account, AuthorityFailure(refusal))
        }
        guard reply.isDisabled, !isFirst else { return nil }
        return try wipeRefused(account, .wipeReceived, CheckIns.disabledMessage)
    }

    private static let disabledMessage = "The organisation has disabled the account"

    /// The policy in a reply, in its stored form.
    private struct Received {
        let reply: CheckInReply
        let account: Account
        let isFirst: Bool
        let policies: [SignedDocument]
        let configurations: [JSON]
        /// The account's entry in the registry of managed apps, and the program that makes it.
        let entry: ManagedApp.Account
        let program: Executable?

        init(_ reply: CheckInReply, for account: Account, isFirst: Bool, by program: Executable?) {
            (self.reply, self.account, self.isFirst, self.program) = (reply, account, isFirst, program)
            policies = reply.policies.map {
                SignedDocument(id: $0.id, document: $0.document, signature: signatureText($0.signature))
            }
            configurations = reply.configurationRecords.map { record in
                guard let signature = signatureText(record.signature) else { return record.configuration.json }
                return SignedDocument(id: record.configuration.id, document: record.document, signature: signature).json
            }
            entry = ManagedApp.Account(
                row: account.row.id.hex, accountId: account.accountId, upn: reply.upn,
                tenantId: reply.tenantId ?? account.record.tenantId)
        }

        /// Whether the authority has policy for the account.
        var isManaged: Bool { !policies.isEmpty }
    }

    /// The difference between a reply and the state.
    private struct Change {
        let code: StatusCode
        /// Whether the snapshots of other processes stay valid.
        let leavesSnapshotsValid: Bool
        let isOfSameAuthority: Bool
        /// Whether the registry of managed apps has the account already.
        let isEntered: Bool
    }

    private func compare(_ received: Received) throws(MAMError) -> Change {
        let (account, reply) = (received.account, received.reply)
        let (policies, configurations, isEntered, isOlder) = try state.read { (view, _) in
            (
                (try? view.policies.load(of: account.row)) ?? nil, try? view.configurations.load(of: account.row),
                view.isEntered(received.entry, account.row.id, reply.apps, by: received.program),
                view.rollbackError(of: account.row.id) != nil
            )
        }
        let isOfSameAuthority = AuthorityIdentity(json: account.record.authority) == reply.identity
        // The first reply after an enrollment always counts as new policy, whichever session of the app received it.
        let isFirstAnswer = received.isFirst || account.record.lastCode == nil
        let isSame =
            !isFirstAnswer && account.record.upn == reply.upn && account.record.isDisabled == reply.isDisabled
            && account.record.domains == reply.domains && CheckIns.isSame(received.policies, policies)
        // An offline block ends with this check-in, in every session.
        let wasOverdue = !account.record.launchHistory.closing.isEmpty
        return Change(
            code: !received.isManaged ? .noPolicyReceived : isSame ? .policiesHaveNotChanged : .newPoliciesReceived,
            leavesSnapshotsValid: isSame && configurations == received.configurations && !wasOverdue
                && isOfSameAuthority && !isOlder
                && reply.highestCounter == nil && reply.renewal == nil,
            isOfSameAuthority: isOfSameAuthority, isEntered: isEntered)
    }

    private static func isSame(_ a: [SignedDocument], _ b: [SignedDocument]?) -> Bool {
        guard let b, a.count == b.count else { return false }
        return zip(a, b).allSatisfy { $0.id == $1.id && $0.document == $1.document }
    }

    private func commit(_ received: Received, _ change: Change) throws(MAMError) {
        let (account, reply) = (received.account, received.reply)
        guard !change.leavesSnapshotsValid else {
            return updateRecord(
                try state.write { (view) throws(MAMError) in
                    try updateRegistry(received, change, view)
                    return try view.accounts.change(account.row) { _ = recordCheckIn(received, change, in: &$0) }
                })
        }
        try state.commitForAll { (view) throws(MAMError) in
            try view.policies.store(received.policies, of: account.row)
            try view.configurations.store(received.configurations, of: account.row)
            try updateRegistry(received, change, view)
            let isMoved = try view.confirm(
                account.row.id, above: reply.highestCounter ?? 0, isCopy: reply.isOfCopy)
            var dropped: [String] = []
            let row = try view.accounts.change(account.row) { record in
                dropped = recordCheckIn(received, change, in: &record)
                if isMoved || reply.renewal != nil { record.isOfFormerTag = true }
            }
            if row.record.upn != account.record.upn { try view.takeNames(row, dropping: dropped) }
        }
        warnAbout(received.policies)
        try reload()
    }

    /// Record the check-in; returns former names that the account does not keep.
    private func recordCheckIn(_ received: Received, _ change: Change, in record: inout AccountRecord) -> [String] {
        let (account, reply) = (received.account, received.reply)
        let now = clock.now()
        record.recordCheckIn(account.policy, at: clock.reading, byAuthority: reply.time)
        let dropped = record.rename(accountId: record.accountId ?? account.accountId, upn: reply.upn)
        record.tenantId = reply.tenantId ?? record.tenantId
        record.lastCheckIn = record.launchHistory.offline?.checkIn.time ?? now
        record.isGone = false
        record.interval = reply.interval
        record.isDisabled = reply.isDisabled
        record.domains = reply.domains
        record.authority = reply.identity?.json ?? .null
        schedule.plan(
            &record, after: change.code, isEnrolled: true,
            hasOnlyConfiguration: !received.isManaged && !received.configurations.isEmpty)
        return dropped
    }

    private func updateRegistry(_ received: Received, _ change: Change, _ view: StateView) throws(MAMError) {
        let id = received.account.row.id
        try StoredAuthority.store(received.reply.identity, view, settings)
        guard received.isManaged else { return try view.apps.leave(id) }
        if !change.isEntered { try view.enter(received.entry, id, received.reply.apps, by: received.program) }
    }

    private func followUp(_ received: Received, _ change: Change) throws(MAMError) -> EnrollmentStatus {
        let account = received.account
        if received.isManaged, !received.isFirst {
            exchangeKeys.refreshExchangeKeys(of: account, upTo: received.reply.exchangeEpoch)
        }
        try renewRegistration(of: account.row.id, by: received.reply.renewal)
        let isClosing = received.isManaged && received.reply.isDisabled
        let status = status(
            change.code, accountId: account.accountId, upn: received.reply.upn,
            message: isClosing ? consequenceOfDisabling(account) : "", for: isClosing ? .statusDisabledUser : nil)
        if received.isFirst {
            emitEnrolled(account, received.isManaged ? "its policy is in force" : "nothing restricts it")
            if settings.asksForRestart { _ = events.ask(.restartApplication, subject: "", of: nil) }
        }
        events.emit(.policyRequest, status)
        return status
    }

    /// Text about a disabled user: what the policy of the account does about it.
    private func consequenceOfDisabling(_ account: Account) -> String {
        let policy = snapshots.latest.accounts.first { $0.row.id == account.row.id }?.policy
        let follows =
            switch policy?.accountFindings(closed: nil, isDisabled: true).first?.action {
            case .wipe: "its data is closed, and the next launch removes it"
            case .block: "its data is closed until a check-in says that the user is enabled"
            default: "its data stays open, because the policy has no appActionIfUnableToAuthenticateUser"
            }
        return "\(CheckIns.disabledMessage): \(follows)"
    }

    /// Warn about values that are not understood; they count as the most restrictive ones.
    private func warnAbout(_ policies: [SignedDocument]) {
        for sent in policies {
            guard let policy = try? PolicyDocument(id: sent.id, json: sent.document) else { continue }
            for warning in policy.unreadableValues {
                events.warn(
                    warning.message,
                    [
                        ("policyId", .string(warning.policyId)), ("setting", .string(warning.setting)),
                        ("value", warning.value),
                    ])
            }
        }
    }

    /// Wipe an account that the authority refuses after its wipe period by a trusted clock; nil if the period has not passed.
    func wipeRefused(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError) -> EnrollmentStatus? {
        guard account.isWipedByRefusal(at: clock.reading) else { return nil }
        let status = status(code, of: account, message: message)
        events.emit(.policyRequest, status)
        log.write(.warning, "account \(account.row.id.hex) was refused after its wipe period; it is wiped")
        return carryOutWipe(reporting: status) { () throws(MAMError) in
            try wipes.wipe(account.row, Tombstone(reason: .offline, wipe: nil))
        }
    }

    /// Carry out a wipe that the authority wants done before it enrolls the account again.
    func wipeBeforeEnrolling(_ account: AccountRow, _ wipe: Int64) throws(MAMError) -> EnrollmentStatus {
        let status = status(.wipeReceived, accountId: account.record.accountId, upn: account.record.upn)
        events.emit(.policyRequest, status)
        return carryOutWipe(reporting: status) { () throws(MAMError) in
            try wipes.wipe(account, Tombstone(reason: .administrator, wipe: wipe))
        }
    }

    /// Carry out a wipe; returns the status to report: `received`, or the reason why the key could not be destroyed yet.
    private func carryOutWipe(reporting received: EnrollmentStatus, _ wipe: () throws(MAMError) -> Void)
        -> EnrollmentStatus
    {
        do throws(MAMError) {
            try wipe()
            return received
        } catch {
            return status(
                .failedToClearMamData, accountId: received.accountId, upn: received.upn, message: error.message)
        }
    }
}
