import MAMSupport

/// The authority's answer to the check-in of a launch.
public enum RehearsedAnswer: Sendable, Hashable {
    /// It delivers what is in force.
    case grants
    /// It delivers nothing, without refusing the account.
    case withholds
    /// It refuses the account.
    case refuses
}

/// What a launch would do to one account.
public struct RehearsedLaunch: Sendable {
    /// A question that the host would be asked.
    enum Ask: Sendable {
        case deviceHealth
        case pin(_ purpose: String)
        case pinReset
        case authenticate(AccessRecord.Proof)
        case wipeData

        var json: JSON {
            switch self {
            case .deviceHealth: ["question": "deviceHealth"]
            case .pin(let purpose): ["question": "pin", "purpose": .string(purpose)]
            case .wipeData: ["question": "wipeData"]
            case .pinReset: ["question": "authenticate", "purpose": "pinReset"]
            case .authenticate(let proof):
                ["question": "authenticate", "purpose": "access", "methods": [.string(proof.rawValue)]]
            }
        }
    }

    private let found: LaunchReport.Account
    private let asks: [Ask]

    fileprivate init(_ found: LaunchReport.Account, _ asks: [Ask]) {
        (self.found, self.asks) = (found, found.wipes ? asks + [.wipeData] : asks)
    }

    /// The outcome where the person shows nothing that is asked for.
    public var outcome: LaunchReport.Outcome { report(found.findings).outcome }

    private func report(_ findings: [LaunchReport.Finding]) -> LaunchReport {
        LaunchReport(findings, time: Instant(milliseconds: 0))
    }

    /// A launch in the reply of `mam_policy_simulate`.
    public var json: JSON {
        let whole = report(found.findings)
        let answered = report(found.findings.filter { $0.action != .prompt })
        return [
            "outcome": .string(whole.outcome.rawValue), "outcomeWhenAnswered": .string(answered.outcome.rawValue),
            "findings": .array(whole.findings.map(\.json)), "asks": .array(asks.map(\.json)),
            "notApplicable": .array(found.notApplicable.map(\.json)),
        ]
    }
}

extension EffectivePolicy {
    /// A launch of an account under this policy, by the checks, wipes and questions of launches, step by step as
    /// `Session.advance` takes them. `isDisabled` is what the latest check-in said; `answer` comes to one that the launch makes.
    public func rehearse(
        _ state: LaunchState, app: String, isDisabled: Bool, answer: RehearsedAnswer
    ) -> RehearsedLaunch {
        var facts = state.facts(self, app: app, isDisabled: isDisabled)
        let asks: [RehearsedLaunch.Ask] = wantsReport(state.health) ? [.deviceHealth] : []
        var found = launch(facts)
        if found.wantsCheckIn, state.isConnected, answer != .withholds {
            let passed = state.offline ?? .seconds(0)
            if answer == .refuses || isDisabled, let wipe = refusalWipe(after: passed) {
                return RehearsedLaunch(LaunchReport.Account(findings: [wipe]), asks)
            }
            if answer == .grants {
                facts.isOnline = true
                facts.mustSignIn = facts.mustSignIn || isOverdue(after: passed)
                found = launch(facts)
            }
        }
        found.findings = found.reported(isInUse: state.isInUse)
        guard !found.wipes else { return RehearsedLaunch(found, asks) }
        if found.question(acceptsBiometrics: false) == .pin, found.pin == .signIn,
            let wipe = pinWipe(after: state.pin.failures)
        {
            return RehearsedLaunch(LaunchReport.Account(findings: [wipe]), asks)
        }
        return RehearsedLaunch(found, asks + questions(found, acceptsBiometrics(state.access, at: state.now)))
    }

    /// One after the other, each answered as it should be.
    private func questions(_ found: LaunchReport.Account, _ acceptsBiometrics: Bool) -> [RehearsedLaunch.Ask] {
        var left = found
        var asks: [RehearsedLaunch.Ask] = []
        while let question = left.question(acceptsBiometrics: acceptsBiometrics) {
            let answered: LaunchCheck = question == .credentials ? .credentials : .pin
            left.findings.removeAll { $0.action == .prompt && $0.check == answered.rawValue }
            switch (question, left.pin) {
            case (.credentials, _): asks.append(.authenticate(.credentials))
            case (.biometrics, _): asks.append(.authenticate(.biometrics))
            case (.pin, .nothing): break
            case (.pin, .enter): asks.append(.pin("enter"))
            case (.pin, .set): asks.append(.pin("new"))
            case (.pin, .change): asks += [.pin("enter"), .pin("new")]
            case (.pin, .signIn): asks += [.pinReset, .pin("new")]
            }
        }
        return asks
    }
}
