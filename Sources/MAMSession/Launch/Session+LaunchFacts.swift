import MAMPolicy
import MAMState
import MAMSupport

/// What the checks of a launch are told.
extension Session {
    /// One look at the clocks.
    var reading: ClockReading {
        ClockReading(time: clock.now(), sinceBoot: clock.sinceBoot(), boot: clock.boot())
    }

    /// What is known of an account, for the checks.
    func launchFacts(
        _ account: Account, _ health: DeviceHealth, _ access: AccessRecord?, shown: Set<AccessRecord.Proof> = []
    ) throws(MAMError) -> LaunchFacts {
        let now = reading
        let history = LaunchHistory(json: account.record.launch)
        let period = account.policy?.recheckPeriod ?? .seconds(0)
        func has(_ proof: AccessRecord.Proof) -> Bool {
            shown.contains(proof) || access?.has(proof, within: period, at: now) ?? false
        }
        var facts = LaunchFacts(libraryVersion: libraryVersion)
        facts.closed = account.problem.map { "The account's data stays closed: \($0.message)" }
        facts.isDisabled = account.isEnrolled && account.record.isDisabled
        facts.offline = history.timer(since: account.record.lastCheckIn)?.elapsed(at: now)
        facts.appVersion = settings.app.version
        // The health that is passed in was made under what the host said, now or at an open before.
        facts.platform = lock.held { self.health?.stated?.platform } ?? settings.device.platform
        facts.systemVersion = health.osVersion
        facts.model = health.model
        facts.lock = health.lock
        facts.health = health
        facts.work = WorkStatus(health, now: now.time)
        facts.hasSignedIn = has(.credentials)
        facts.mustSignIn = history.mustSignIn
        if answer(.pinRequired, of: account.ownParty, lock.held { snapshot }) {
            facts.pin = try pinDemand(of: account, isShown: has(.pin) || has(.biometrics))
        }
        return facts
    }

    /// What is found of an account.
    func look(
        at account: Account, _ health: DeviceHealth, _ access: AccessRecord?, shown: Set<AccessRecord.Proof> = []
    ) throws(MAMError) -> LaunchReport.Account {
        let facts = try launchFacts(account, health, access, shown: shown)
        return account.policy?.launch(facts) ?? .unmanaged(facts)
    }

    /// `mam_conditional_launch`: what a launch would find for one account. Nothing is carried out, asked or written.
    public func conditionalLaunch(_ argument: AccountArgument) throws(MAMError) -> JSON {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        guard case .named(let identity) = argument else { return LaunchReport([], time: clock.now()).json }
        if let entry = snapshot.wipe(of: identity) {
            let finding = LaunchReport.Finding(.wipe, .wipe, "The account is being wiped")
                .about(entry.accountId.isEmpty ? identity.text : entry.accountId)
            return LaunchReport([finding], time: clock.now()).json
        }
        guard let known = snapshot.find(identity) else {
            let problem = snapshot.problem(of: identity).map { problem in
                LaunchReport.Finding(.account, .block, "The account's data stays closed: \(problem.message)")
                    .about(identity.text)
            }
            return LaunchReport(problem.map { [$0] } ?? [], time: clock.now()).json
        }
        // Where nothing is found by what is in memory, nothing is: what others noted since only ever opens, or asks a person.
        var (account, found) = (known, LaunchReport.Account(findings: []))
        if !(known.policy?.asksPerson ?? false) { found = try look(at: known, try deviceHealth(), nil) }
        if known.policy?.asksPerson ?? false || !found.findings.isEmpty {
            account = try latest(known)
            found = try look(at: account, try deviceHealth(), try accessRecords()[account.accessKey])
        }
        let findings = LaunchHistory(json: account.record.launch).dismissing(found.findings)
        return LaunchReport(
            findings.map { $0.about(account.accountId) },
            notApplicable: found.notApplicable.map { $0.about(account.accountId) }, time: clock.now()
        ).json
    }

    /// The account as the state has it now: what launches note makes no new generation.
    private func latest(_ account: Account) throws(MAMError) -> Account {
        try currentRecords().accounts.first { $0.row.id == account.row.id } ?? account
    }
}
