import MAMPolicy
import MAMState
import MAMSupport

/// `mam_conditional_launch`: what a launch would find for one account. Nothing is carried out, asked or written.
extension Session {
    /// The reply's JSON text for the name of an account, or none. What was told is told again until the clocks, the state, the
    /// device or what persons have shown can change it.
    public func conditionalLaunch(_ account: String?) throws(MAMError) -> [UInt8] {
        let snapshot = try current()
        let (now, notes) = (reading, state.notes)
        var name = account ?? ""
        // Registered anew while its wipe is under way, it is being wiped.
        if snapshot.wipes.isEmpty, let place = name.withUTF8({ snapshot.place(of: $0) }) {
            if let notes, let told = snapshot.replies.launch(place, notes, now) { return told }
            return try look(at: snapshot.accounts[place], snapshot, LaunchReply.Moment(time: now, notes: notes))
        }
        let argument = try AccountArgument(account)
        try checkKnown(argument, snapshot)
        guard let identity = argument.identity else { return LaunchReport([], time: now.time).json.utf8 }
        if let entry = snapshot.wipe(of: identity) {
            return LaunchReport([Session.isWiping.about(entry.named(or: identity.text))], time: now.time).json.utf8
        }
        if let known = snapshot.find(identity) {
            return try look(at: known, snapshot, LaunchReply.Moment(time: now, notes: nil))
        }
        let problem = snapshot.problem(of: identity).map { problem in
            LaunchReport.Finding(.account, .block, "The account's data stays closed: \(problem.message)")
                .about(NamedAccount(accountId: identity.text, upn: nil))
        }
        return LaunchReport(problem.map { [$0] } ?? [], time: now.time).json.utf8
    }

    private func look(at known: Account, _ snapshot: Snapshot, _ moment: LaunchReply.Moment) throws(MAMError) -> [UInt8]
    {
        // Where nothing is found by what is in memory, nothing is: what others noted since only ever opens, or asks a person.
        var (account, looked, found) = (known, snapshot, LaunchReport.Account(findings: []))
        let health = try deviceHealth()
        let asksPerson = known.policy?.asksPerson ?? false
        if !asksPerson { found = try look(at: known, health, nil) }
        if asksPerson || !found.findings.isEmpty {
            looked = try currentRecords()
            account = looked.accounts.first { $0.row.id == known.row.id } ?? known
            found = try look(at: account, health, try accessRecords()[account.accessKey])
        }
        let findings = LaunchHistory(json: account.record.launch).dismissing(found.findings)
        let reply = LaunchReport(
            findings.map { $0.about(account.named) },
            notApplicable: found.notApplicable.map { $0.about(account.named) }, time: moment.time.time
        ).json.utf8
        // Of the snapshot that it was found by: with another record, guard or generation there is another one. Where one came
        // meanwhile, the device's health may be of the one before.
        if looked.generation == snapshot.generation, let place = looked.accounts.firstIndex(where: { $0 === account }) {
            looked.replies.keep(
                LaunchReply(text: reply, moment: moment, validity: validity(found, health, looked)), at: place)
        }
        return reply
    }

    /// For how long a look at an account holds, that of the device included.
    private func validity(
        _ found: LaunchReport.Account, _ health: DeviceHealth, _ snapshot: Snapshot
    ) -> LaunchValidity {
        var validity = found.validity
        let now = reading
        snapshot.reported?.report?.end(&validity, at: now)
        self.health.end(&validity, of: health, sinceBoot: now.sinceBoot)
        return validity
    }
}
