import MAMSupport

/// The device, the person and the time of a simulated launch. By default everything is in order; versions, the model and the
/// threat level are unknown.
public struct LaunchState: Sendable {
    /// The time of the launch.
    public let now: ClockReading
    /// This library's version.
    public let libraryVersion: String
    /// The app's version, as the host states it.
    public var appVersion: String?
    /// The platform that the host states.
    public var platform = Platform.linux.name
    /// The health of the device.
    public var health: DeviceHealth
    /// The device facts for predicates.
    public var device = DeviceFacts(lock: .notApplicable)
    /// The time since the last check-in; nil if there was none.
    public var offline: TimeSpan? = .seconds(0)
    /// Whether the account is in use. Only then is the person asked.
    public var isInUse = true
    /// Whether the authority can be reached.
    public var isConnected = true
    /// Whether the person must sign in because the wipe period had passed before the latest check-in.
    public var mustSignIn = false
    /// The facts about the account's PIN.
    public var pin = PINFacts.none
    /// Whether the PIN is too weak for the current rule.
    public var isPINWeak = false
    /// The person's authentications; nil for none.
    public var access: AccessRecord?

    /// Creates a state.
    public init(now: ClockReading, libraryVersion: String, health: DeviceHealth) {
        (self.now, self.libraryVersion, self.health) = (now, libraryVersion, health)
    }

    /// Returns the facts for the launch checks of an account under a policy.
    func facts(_ policy: EffectivePolicy, app: String, isDisabled: Bool) -> LaunchFacts {
        let period = policy.recheckPeriod
        func has(_ proof: AccessRecord.Method) -> Bool { access?.has(proof, within: period, at: now) ?? false }
        var facts = LaunchFacts(libraryVersion: libraryVersion)
        facts.isDisabled = isDisabled
        facts.timeSinceCheckIn = offline
        (facts.appId, facts.appVersion, facts.platform) = (app, appVersion, platform)
        (facts.systemVersion, facts.model) = (health.osVersion, health.model)
        (facts.lock, facts.health) = (health.lock, health)
        facts.work = WorkStatus(health, now: now)
        facts.hasSignedIn = has(.credentials)
        facts.overdue = mustSignIn ? .longest : nil
        facts.pin = demand(policy, isEntered: has(.pin) || has(.biometrics))
        return facts
    }

    private func demand(_ policy: EffectivePolicy, isEntered: Bool) -> LaunchFacts.PINPrompt {
        let accountPolicy = AccountPolicy.managed(accountId: "", tenantId: nil, policy: policy)
        guard let rule = policy.pinRule, !accountPolicy.decide(.pinRequired, device: device).allowed else {
            return .nothing
        }
        var pin = pin
        if isPINWeak { pin.lastCheck = (rule.json, true) }
        return .init(PINStatus(rule, isRequired: true, pin, now: now.time).state, isEntered: isEntered)
    }
}
