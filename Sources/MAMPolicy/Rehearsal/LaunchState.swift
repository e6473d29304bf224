import MAMSupport

/// The computer, the person and the time at which a launch is rehearsed. What nobody has said is as it should be; a version, a
/// model and a threat level that nobody has said are not known.
public struct LaunchState: Sendable {
    /// The time of the launch.
    public let now: ClockReading
    /// This library's version.
    public let libraryVersion: String
    /// The app's version, as the host says it.
    public var appVersion: String?
    /// The platform that the host says it is.
    public var platform = Platform.linux.name
    /// The health of the device.
    public var health: DeviceHealth
    /// The device as predicates see it.
    public var device = DeviceFacts(lock: .notApplicable)
    /// How long the account has been without a check-in; nil where there never was one.
    public var offline: TimeSpan? = .seconds(0)
    /// Whether the host acts for the account or shows it: only then the person is asked.
    public var isInUse = true
    /// Whether the authority can be reached.
    public var isConnected = true
    /// Whether the person has to sign in because the wipe period had passed before the latest check-in.
    public var mustSignIn = false
    /// The account's PIN.
    public var pin = PINFacts.none
    /// Whether that PIN was found to fall short of the rule that holds now.
    public var isPINWeak = false
    /// What the person has shown; nil for nothing.
    public var access: AccessRecord?

    /// A computer at a time.
    public init(now: ClockReading, libraryVersion: String, health: DeviceHealth) {
        (self.now, self.libraryVersion, self.health) = (now, libraryVersion, health)
    }

    /// What the checks look at, of an account under a policy.
    func facts(_ policy: EffectivePolicy, app: String, isDisabled: Bool) -> LaunchFacts {
        let period = policy.recheckPeriod
        func has(_ proof: AccessRecord.Proof) -> Bool { access?.has(proof, within: period, at: now) ?? false }
        var facts = LaunchFacts(libraryVersion: libraryVersion)
        facts.isDisabled = isDisabled
        facts.offline = offline
        (facts.appId, facts.appVersion, facts.platform) = (app, appVersion, platform)
        (facts.systemVersion, facts.model) = (health.osVersion, health.model)
        (facts.lock, facts.health) = (health.lock, health)
        facts.work = WorkStatus(health, now: now)
        facts.hasSignedIn = has(.credentials)
        facts.mustSignIn = mustSignIn
        facts.pin = demand(policy, isShown: has(.pin) || has(.biometrics))
        return facts
    }

    private func demand(_ policy: EffectivePolicy, isShown: Bool) -> LaunchFacts.PINDemand {
        let party = Party.managed(accountId: "", tenantId: nil, policy: policy)
        guard let rule = policy.pinRule, !party.decide(.pinRequired, device: device).allowed else { return .nothing }
        var pin = pin
        if isPINWeak { pin.judged = (rule.json, true) }
        return .init(PINStanding(rule, isRequired: true, pin, now: now.time).state, isShown: isShown)
    }
}
