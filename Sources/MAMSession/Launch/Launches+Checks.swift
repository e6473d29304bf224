import MAMPolicy
import MAMState
import MAMSupport

/// The checks of one account.
extension Launches {
    /// Check an account. `methods`: how the person has authenticated in this run; `isLaunch`: at a launch or a resume; `isOnline`:
    /// the authority has answered in this run.
    func check(
        _ account: Account, _ health: DeviceHealth, _ access: AccessRecord?, methods: Set<AccessRecord.Method> = [],
        isLaunch: Bool = true, isOnline: Bool = false
    ) throws(MAMError) -> LaunchReport.Account {
        var facts = try self.facts(account, health, access, methods: methods)
        facts.isOnline = isOnline
        var found = account.policy?.launchFindings(facts) ?? .unmanaged(facts)
        if isLaunch, account.isTest, settings.testPolicy?.content.wipesAtLaunch ?? false {
            found.findings.append(Launches.testWipe)
        }
        return found
    }

    /// The facts about an account that its policy decides by.
    private func facts(
        _ account: Account, _ health: DeviceHealth, _ access: AccessRecord?, methods: Set<AccessRecord.Method>
    ) throws(MAMError) -> LaunchFacts {
        let now = clock.reading
        let history = account.record.launchHistory
        let period = account.policy?.recheckPeriod ?? .seconds(0)
        func has(_ method: AccessRecord.Method) -> Bool {
            methods.contains(method) || access?.has(method, within: period, at: now) ?? false
        }
        var facts = LaunchFacts(libraryVersion: libraryVersion)
        facts.closedReason = account.problem.map { "The account's data stays closed: \($0.message)" }
        facts.isDisabled = account.isEnrolled && account.record.isDisabled
        if let timer = history.timer(since: account.record.lastCheckIn) {
            facts.timeSinceCheckIn = timer.elapsed(at: now)
            timer.limit(&facts.validity, at: now)
        }
        access?.limit(&facts.validity, after: period, at: now)
        facts.appId = settings.managedApp
        facts.appVersion = try ExtensionList.judgedVersion(settings, state)
        facts.platform = snapshots.latest.device.stated?.platform ?? StatedDevice.nothing.platform
        facts.systemVersion = health.osVersion
        facts.model = health.model
        facts.lock = health.lock
        facts.health = health
        facts.work = WorkStatus(health, now: now)
        facts.hasSignedIn = has(.credentials)
        facts.overdue = history.overdue
        if snapshots.latest.answer(.pinRequired, of: account.ownAccountPolicy) {
            facts.pin = try pinPrompt(of: account, isEntered: has(.pin) || has(.biometrics), &facts.validity)
        }
        return facts
    }

    /// The question about an account's PIN, where policy requires one. `isEntered`: the PIN or biometrics in its place were shown,
    /// and that holds.
    private func pinPrompt(
        of account: Account, isEntered: Bool, _ validity: inout FindingsValidity
    ) throws(MAMError) -> LaunchFacts.PINPrompt {
        guard account.policy?.pinRule != nil else { return .nothing }
        let pin: AccountPIN
        do throws(MAMError) { pin = try pins.accountPIN(account) } catch {
            // A row that does not verify: the person signs in and sets a new PIN.
            guard error.code == .tampered else { throw error }
            return .signIn
        }
        pin.limit(&validity, now: clock.now())
        return LaunchFacts.PINPrompt(pin.status.state, isEntered: isEntered)
    }

    private static let testWipe = LaunchReport.Finding(
        check: LaunchCheck.wipe.rawValue, action: .wipe, setting: "DebugWipeOnLaunchResume",
        message: "The test policy has the account wiped at each launch and resume", value: true)
}
