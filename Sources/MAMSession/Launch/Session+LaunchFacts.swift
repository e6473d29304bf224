import MAMPolicy
import MAMState
import MAMSupport

/// What the checks of a launch are told.
extension Session {
    /// One look at the clocks.
    var reading: ClockReading { clock.reading }

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
        if let timer = history.timer(since: account.record.lastCheckIn) {
            facts.offline = timer.elapsed(at: now)
            timer.end(&facts.validity, at: now)
        }
        access?.end(&facts.validity, after: period, at: now)
        facts.appId = settings.managedApp
        facts.appVersion = try judgedVersion()
        facts.platform = stated.platform
        facts.systemVersion = health.osVersion
        facts.model = health.model
        facts.lock = health.lock
        facts.health = health
        facts.work = WorkStatus(health, now: now)
        facts.hasSignedIn = has(.credentials)
        facts.mustSignIn = history.mustSignIn
        if answer(.pinRequired, of: account.ownParty, snapshots.latest) {
            facts.pin = try pinDemand(of: account, isShown: has(.pin) || has(.biometrics), &facts.validity)
        }
        return facts
    }

    /// What is found of an account; `isLaunch`: at a launch or a resume; `isOnline`: whose authority has answered in it.
    func look(
        at account: Account, _ health: DeviceHealth, _ access: AccessRecord?, shown: Set<AccessRecord.Proof> = [],
        isLaunch: Bool = true, isOnline: Bool = false
    ) throws(MAMError) -> LaunchReport.Account {
        var facts = try launchFacts(account, health, access, shown: shown)
        facts.isOnline = isOnline
        var found = account.policy?.launch(facts) ?? .unmanaged(facts)
        if isLaunch, account.isTest, settings.testPolicy?.content.wipesAtLaunch ?? false {
            found.findings.append(Session.testWipe)
        }
        return found
    }

    private static let testWipe = LaunchReport.Finding(
        check: LaunchCheck.wipe.rawValue, action: .wipe, setting: "DebugWipeOnLaunchResume",
        message: "The test policy has the account wiped at each launch and resume", value: true)
}
