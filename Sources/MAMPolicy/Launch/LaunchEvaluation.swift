import MAMSupport

/// Collects the violations of all policies of an account. For each check and setting it keeps the severest one, and among
/// equally severe ones that of the strictest value.
struct LaunchEvaluation {
    /// A violation of one policy's setting.
    struct Violation {
        let check: LaunchCheck
        let action: LaunchReport.Action
        let setting: String
        let value: JSON
        let message: String
        let policy: EffectivePolicy.MergedPolicy
        /// The message for the person, if it is not the check's.
        var messageKey: MessageKey?
    }

    let facts: LaunchFacts
    private(set) var violations: [Violation] = []

    init(_ facts: LaunchFacts) { self.facts = facts }

    mutating func add(_ violation: Violation) {
        guard
            let known = violations.firstIndex(where: {
                $0.check == violation.check && $0.setting.utf8.elementsEqual(violation.setting.utf8)
            })
        else { return violations.append(violation) }
        if LaunchEvaluation.counts(violation, over: violations[known]) { violations[known] = violation }
    }

    private static func counts(_ a: Violation, over b: Violation) -> Bool {
        guard a.action == b.action else { return a.action.rank > b.action.rank }
        guard let kind = PropertyTable[a.setting]?.kind, let x = kind.rank(a.value), let y = kind.rank(b.value) else {
            return false
        }
        return y.lexicographicallyPrecedes(x)
    }

    var findings: [LaunchReport.Finding] {
        violations.map { violation in
            LaunchReport.Finding(
                check: violation.check.rawValue, action: violation.action, setting: violation.setting,
                message: violation.message,
                value: violation.value, policyId: violation.policy.id, policyName: violation.policy.name,
                messageKey: violation.messageKey)
        }
    }
}

extension LaunchReport.Action {
    var rank: Int { LaunchReport.Action.allCases.firstIndex(of: self) ?? 0 }
}

extension EffectivePolicy {
    /// Returns the findings of a launch under this policy, and the settings that do not apply to this host.
    public func launchFindings(_ facts: LaunchFacts) -> LaunchReport.Account {
        let accountFindings = accountFindings(closed: facts.closedReason, isDisabled: facts.isDisabled)
        guard facts.closedReason == nil, !isLockDown else { return LaunchReport.Account(findings: accountFindings) }
        var evaluation = LaunchEvaluation(facts)
        for policy in policies.map({ $0.includingChecks(of: facts.platform) }) {
            policy.checkDevice(&evaluation)
            policy.checkVersions(&evaluation)
            policy.checkOffline(&evaluation)
            policy.checkWork(&evaluation)
            policy.checkAccess(&evaluation)
        }
        var findings = evaluation.findings + accountFindings
        if let pin = pin(facts) { findings.append(pin) }
        var validity = facts.validity
        for policy in policies {
            policy.endOffline(facts, &validity)
            policy.endWork(facts, &validity)
        }
        var found = LaunchReport.Account(
            findings: findings,
            notApplicable: policies.flatMap { $0.notApplicable(on: facts.platform) + $0.inapplicableVersions(facts) },
            validity: validity)
        found.pin = facts.pin
        return found
    }

    /// Returns the findings that hold in every session: the account's data stays closed, its policy is missing, or its user is
    /// disabled.
    public func accountFindings(closed: String?, isDisabled: Bool) -> [LaunchReport.Finding] {
        let reason = closed ?? (isLockDown ? "Its policy has not come yet: check in" : nil)
        return (reason.map { [.init(.account, .block, $0)] } ?? []) + (isDisabled ? disabled : [])
    }

    /// The finding for a user whom the authority has disabled, if a policy has an action for that.
    private var disabled: [LaunchReport.Finding] {
        let setting = LaunchSetting.disabledAction
        let wiping = policies.first { $0.action(setting) == .wipe }
        guard let policy = wiping ?? policies.first(where: { $0.action(setting) != nil }) else {
            return []
        }
        return [
            LaunchReport.Finding(
                check: LaunchCheck.disabledAccount.rawValue, action: wiping == nil ? .block : .wipe, setting: setting,
                message: "The organisation has disabled the account"
                    + (wiping == nil
                        ? "; it works again when a check-in says so" : ", and its data is removed from this app"),
                value: policy.settings.value(of: setting) ?? .null, policyId: policy.id, policyName: policy.name)
        ]
    }

    private func pin(_ facts: LaunchFacts) -> LaunchReport.Finding? {
        let (asks, messageKey): (String, MessageKey)
        switch facts.pin {
        case .nothing: return nil
        case .enter: (asks, messageKey) = ("The PIN has to be entered", .pinEnter)
        case .set: (asks, messageKey) = ("A PIN has to be set (mam_pin_set)", .pinChoose)
        case .change: (asks, messageKey) = ("The PIN has to be entered, and another one set", .pinChange)
        case .signIn: (asks, messageKey) = ("Too many wrong PINs: sign in, and set another one", .pinUsedUp)
        }
        let policy = policies.first { $0.settings.isTrue(.pinRequired) }
        return LaunchReport.Finding(
            check: LaunchCheck.pin.rawValue, action: .prompt, setting: PolicySetting.pinRequired.name, message: asks,
            value: true, policyId: policy?.id, policyName: policy?.name, messageKey: messageKey)
    }
}

extension LaunchReport {
    /// The findings for one account.
    public struct Account: Sendable {
        /// Every finding.
        public var findings: [Finding]
        /// The settings that do not apply to this host.
        public var notApplicable: [NotApplicable] = []
        /// The time for which the findings stay valid.
        public var validity: FindingsValidity
        /// The PIN action that was required.
        public var pin = LaunchFacts.PINPrompt.nothing

        /// Creates the findings for one account.
        public init(
            findings: [Finding], notApplicable: [NotApplicable] = [], validity: FindingsValidity = FindingsValidity()
        ) {
            self.findings = findings
            self.notApplicable = notApplicable
            self.validity = validity
        }

        /// Returns the findings for an account without a policy.
        public static func unmanaged(_ facts: LaunchFacts) -> Account {
            if let closed = facts.closedReason { return Account(findings: [.init(.account, .block, closed)]) }
            return Account(findings: [], validity: facts.validity)
        }
    }
}

extension LaunchReport.Finding {
    /// Creates a finding that no setting is responsible for.
    public init(_ check: LaunchCheck, _ action: LaunchReport.Action, _ message: String) {
        self.init(check: check.rawValue, action: action, setting: nil, message: message)
    }

    /// Creates the finding of a launch that failed. The person reads the error's message, unless that blames the app.
    public init(library error: MAMError) {
        self.init(
            check: LaunchCheck.library.rawValue, action: .block, setting: nil, message: error.message,
            messageKey: error.messageKey == .errorApp ? nil : error.messageKey)
    }
}
