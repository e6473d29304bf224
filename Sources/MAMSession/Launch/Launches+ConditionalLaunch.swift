import MAMPolicy
import MAMState
import MAMSupport

/// `mam_conditional_launch`: what a launch would find for one account. Nothing is carried out, asked or written.
extension Launches {
    /// The report's JSON text for the name of an account, or none. A report is repeated until the clocks, the state, the device or
    /// an authentication can change it.
    public func conditionalLaunch(_ account: String?) throws(MAMError) -> [UInt8] {
        let snapshot = try current()
        let (now, writes) = (clock.reading, state.writeCount)
        var name = account ?? ""
        // An account that was registered again while its wipe is under way is being wiped.
        if snapshot.wipes.isEmpty, let place = name.withUTF8({ snapshot.accountIndex(named: $0) }) {
            if let writes, let text = snapshot.replies.launch(place, writes, now) { return text }
            return try text(of: snapshot.accounts[place], snapshot, LaunchReply.Moment(time: now, notes: writes))
        }
        let argument = try AccountArgument(account)
        try snapshot.checkKnown(argument)
        guard let identity = argument.identity else {
            return LaunchReport([], time: now.time).json(in: settings.language).utf8
        }
        guard snapshot.wipe(of: identity) == nil, let known = snapshot.find(identity) else {
            return snapshot.launchReport(of: identity, at: now.time).json(in: settings.language).utf8
        }
        return try text(of: known, snapshot, LaunchReply.Moment(time: now, notes: nil))
    }

    private func text(
        of known: Account, _ snapshot: Snapshot, _ moment: LaunchReply.Moment
    ) throws(MAMError) -> [UInt8] {
        // Records in memory that lead to no finding decide: later ones only open the account, or ask a person.
        var (account, checked, found) = (known, snapshot, LaunchReport.Account(findings: []))
        let health = try self.health.current()
        let asksPerson = known.policy?.asksPerson ?? false
        if !asksPerson { found = try check(known, health, nil) }
        if asksPerson || !found.findings.isEmpty {
            checked = try snapshots.currentRecords()
            account = checked.accounts.first { $0.row.id == known.row.id } ?? known
            found = try check(account, health, try accessRecords()[account])
        }
        let findings = account.record.launchHistory.dismissing(found.findings)
        let text = LaunchReport(
            findings.map { $0.about(account.named) },
            notApplicable: found.notApplicable.map { $0.about(account.named) }, time: moment.time.time
        ).json(in: settings.language).utf8
        // Cached in the snapshot that it was made from: another record, finding or generation has another snapshot. Where the
        // generation changed meanwhile, the device's health may be of the one before.
        if checked.generationWord == snapshot.generationWord,
            let place = checked.accounts.firstIndex(where: { $0 === account })
        {
            checked.replies.keep(
                LaunchReply(text: text, moment: moment, validity: validity(found, health, checked)), at: place)
        }
        return text
    }

    /// The time for which a report about an account holds, that of the device's health included.
    private func validity(
        _ found: LaunchReport.Account, _ health: DeviceHealth, _ snapshot: Snapshot
    ) -> FindingsValidity {
        var validity = found.validity
        let now = clock.reading
        snapshot.reported?.report?.limit(&validity, at: now)
        self.health.limit(&validity, of: health, sinceBoot: now.sinceBoot)
        return validity
    }
}
