import MAMSupport

/// The checks of every policy of an account, brought together: of one setting the severest finding counts, and among equals that
/// of the strictest value.
struct LaunchLook {
    /// What one policy's check found.
    struct Hit {
        let check: LaunchCheck
        let action: LaunchReport.Action
        let setting: String
        let value: JSON
        let message: String
        let part: EffectivePolicy.Part
    }

    let facts: LaunchFacts
    private(set) var hits: [Hit] = []

    init(_ facts: LaunchFacts) { self.facts = facts }

    mutating func add(_ hit: Hit) {
        guard
            let known = hits.firstIndex(where: {
                $0.check == hit.check && $0.setting.utf8.elementsEqual(hit.setting.utf8)
            })
        else { return hits.append(hit) }
        if LaunchLook.counts(hit, over: hits[known]) { hits[known] = hit }
    }

    private static func counts(_ a: Hit, over b: Hit) -> Bool {
        guard a.action == b.action else { return a.action.rank > b.action.rank }
        guard let kind = PropertyTable[a.setting]?.kind, let x = kind.rank(a.value), let y = kind.rank(b.value) else {
            return false
        }
        return y.lexicographicallyPrecedes(x)
    }

    var findings: [LaunchReport.Finding] {
        hits.map { hit in
            LaunchReport.Finding(
                check: hit.check.rawValue, action: hit.action, setting: hit.setting, message: hit.message,
                value: hit.value, policyId: hit.part.id, policyName: hit.part.name)
        }
    }
}

extension LaunchReport.Action {
    var rank: Int { LaunchReport.Action.allCases.firstIndex(of: self) ?? 0 }
}

extension EffectivePolicy {
    /// What a launch finds for an account under this policy, and what of it does not apply to this host.
    public func launch(_ facts: LaunchFacts) -> LaunchReport.Account {
        let standing = standing(closed: facts.closed, isDisabled: facts.isDisabled)
        guard facts.closed == nil, !isLockDown else { return LaunchReport.Account(findings: standing) }
        var look = LaunchLook(facts)
        for part in parts.map({ $0.judging(facts.platform) }) {
            part.checkDevice(&look)
            part.checkVersions(&look)
            part.checkTimes(&look)
            part.checkAccess(&look)
        }
        var findings = look.findings + standing
        if let pin = pin(facts) { findings.append(pin) }
        var validity = facts.validity
        for part in parts { part.endTimes(facts, &validity) }
        var found = LaunchReport.Account(
            findings: findings,
            notApplicable: parts.flatMap { $0.notApplicable(on: facts.platform) + $0.inapplicableVersions(facts) },
            validity: validity)
        found.pin = facts.pin
        return found
    }

    /// What is found of the account itself, whichever session looks: its data stays closed, its policy is missing, its user is
    /// disabled.
    public func standing(closed: String?, isDisabled: Bool) -> [LaunchReport.Finding] {
        let account = closed ?? (isLockDown ? "Its policy has not come yet: check in" : nil)
        return (account.map { [.init(.account, .block, $0)] } ?? []) + (isDisabled ? disabled : [])
    }

    /// A user disabled by the authority, where a policy says what follows.
    private var disabled: [LaunchReport.Finding] {
        let setting = LaunchSetting.disabledAction
        let wiping = parts.first { $0.action(setting) == .wipe }
        guard let part = wiping ?? parts.first(where: { $0.action(setting) != nil }) else {
            return []
        }
        return [
            LaunchReport.Finding(
                check: LaunchCheck.disabledAccount.rawValue, action: wiping == nil ? .block : .wipe, setting: setting,
                message: "The organisation has disabled the account"
                    + (wiping == nil
                        ? "; it works again when a check-in says so" : ", and its data is removed from this app"),
                value: part.settings.value(of: setting) ?? .null, policyId: part.id, policyName: part.name)
        ]
    }

    private func pin(_ facts: LaunchFacts) -> LaunchReport.Finding? {
        let asks: String
        switch facts.pin {
        case .nothing: return nil
        case .enter: asks = "The PIN has to be entered"
        case .set: asks = "A PIN has to be set"
        case .change: asks = "The PIN has to be entered, and another one set"
        case .signIn: asks = "Too many wrong PINs: sign in, and set another one"
        }
        let part = parts.first { $0.settings.isTrue(.pinRequired) }
        return LaunchReport.Finding(
            check: LaunchCheck.pin.rawValue, action: .prompt, setting: PolicySetting.pinRequired.name, message: asks,
            value: true, policyId: part?.id, policyName: part?.name)
    }
}

extension LaunchReport {
    /// What was found for one account.
    public struct Account: Sendable {
        /// Every finding.
        public var findings: [Finding]
        /// What does not apply to this host.
        public var notApplicable: [NotApplicable] = []
        /// For how long that is what would be found.
        public var validity: LaunchValidity
        /// What the PIN asked for.
        public var pin = LaunchFacts.PINDemand.nothing

        /// What was found.
        public init(
            findings: [Finding], notApplicable: [NotApplicable] = [], validity: LaunchValidity = LaunchValidity()
        ) {
            self.findings = findings
            self.notApplicable = notApplicable
            self.validity = validity
        }

        /// What is found for an account without a policy.
        public static func unmanaged(_ facts: LaunchFacts) -> Account {
            if let closed = facts.closed { return Account(findings: [.init(.account, .block, closed)]) }
            return Account(findings: [], validity: facts.validity)
        }
    }
}

extension LaunchReport.Finding {
    /// Of no setting.
    public init(_ check: LaunchCheck, _ action: LaunchReport.Action, _ message: String) {
        self.init(check: check.rawValue, action: action, setting: nil, message: message)
    }
}
