import MAMSupport

/// The authority's answer to the check-in of a launch.
public enum SimulatedAnswer: Sendable, Hashable {
    /// The authority delivers the current documents.
    case grants
    /// The authority delivers nothing, but does not refuse the account.
    case withholds
    /// The authority refuses the account.
    case refuses
}

/// The simulated launch of one account.
public struct SimulatedLaunch: Sendable {
    /// A question to the host.
    enum Question: Sendable {
        case deviceHealth
        case pin(_ purpose: String)
        case pinReset
        case authenticate(AccessRecord.Method)
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
    private let questions: [Question]

    fileprivate init(_ found: LaunchReport.Account, _ questions: [Question]) {
        (self.found, self.questions) = (found, found.wipes ? questions + [.wipeData] : questions)
    }

    /// The outcome if the person answers no question.
    public var outcome: LaunchReport.Outcome { report(found.findings).outcome }

    private func report(_ findings: [LaunchReport.Finding]) -> LaunchReport {
        LaunchReport(findings, time: Instant(milliseconds: 0))
    }

    /// The launch in the reply of `mam_policy_simulate`.
    public func json(in language: Language) -> JSON {
        let whole = report(found.findings)
        let answered = report(found.findings.filter { $0.action != .prompt })
        return [
            "outcome": .string(whole.outcome.rawValue), "outcomeWhenAnswered": .string(answered.outcome.rawValue),
            "findings": .array(whole.findings.map { $0.json(in: language) }), "asks": .array(questions.map(\.json)),
            "notApplicable": .array(found.notApplicable.map { $0.json(in: language) }),
        ]
    }
}

extension EffectivePolicy {
    /// Simulates a launch of an account under this policy, with the same checks, wipes and questions in the same order as
    /// `Session.advance`. `isDisabled` is the result of the latest check-in; `answer` is the reply to a check-in during the
    /// launch.
    public func simulate(
        _ state: LaunchState, app: String, isDisabled: Bool, answer: SimulatedAnswer
    ) -> SimulatedLaunch {
        var facts = state.facts(self, app: app, isDisabled: isDisabled)
        let questions: [SimulatedLaunch.Question] = wantsReport(state.health) ? [.deviceHealth] : []
        var found = launchFindings(facts)
        if found.wantsCheckIn, state.isConnected, answer != .withholds {
            let passed = state.offline ?? .seconds(0)
            if answer == .refuses || isDisabled, let wipe = refusalWipe(after: passed) {
                return SimulatedLaunch(LaunchReport.Account(findings: [wipe]), questions)
            }
            if answer == .grants {
                facts.isOnline = true
                facts.overdue = overdue(after: passed, former: facts.overdue)
                found = launchFindings(facts)
            }
        }
        found.findings = found.reported(isInUse: state.isInUse)
        guard !found.wipes else { return SimulatedLaunch(found, questions) }
        if found.question(acceptsBiometrics: false) == .pin, found.pin == .signIn,
            let wipe = pinWipe(after: state.pin.failures)
        {
            return SimulatedLaunch(LaunchReport.Account(findings: [wipe]), questions)
        }
        return SimulatedLaunch(
            found, questions + self.questions(for: found, acceptsBiometrics(state.access, at: state.now)))
    }

    /// Returns the questions in their order, assuming that each is answered correctly.
    private func questions(for found: LaunchReport.Account, _ acceptsBiometrics: Bool) -> [SimulatedLaunch.Question] {
        var left = found
        var questions: [SimulatedLaunch.Question] = []
        while let question = left.question(acceptsBiometrics: acceptsBiometrics) {
            let answered: LaunchCheck = question == .credentials ? .credentials : .pin
            left.findings.removeAll { $0.action == .prompt && $0.check == answered.rawValue }
            switch (question, left.pin) {
            case (.credentials, _): questions.append(.authenticate(.credentials))
            case (.biometrics, _): questions.append(.authenticate(.biometrics))
            case (.pin, .nothing): break
            case (.pin, .enter): questions.append(.pin("enter"))
            case (.pin, .set): questions.append(.pin("new"))
            case (.pin, .change): questions += [.pin("enter"), .pin("new")]
            case (.pin, .signIn): questions += [.pinReset, .pin("new")]
            }
        }
        return questions
    }
}
