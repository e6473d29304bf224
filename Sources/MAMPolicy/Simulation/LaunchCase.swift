import MAMSupport

/// A launch in which one thing is wrong and everything else is in order. The launch checks themselves decide what follows.
struct LaunchCase: Sendable {
    /// The input to the policy's checks.
    private enum Input: Sendable {
        case facts(LaunchFacts)
        case refusal(after: TimeSpan)
        case pin(failures: Int)
    }

    /// The check that finds the problem.
    let check: LaunchCheck
    /// The case in words, to follow "where ".
    let words: String
    private let input: Input

    fileprivate init(_ check: LaunchCheck, _ words: String, _ change: (inout LaunchFacts) -> Void) {
        var facts = LaunchCase.fine
        change(&facts)
        (self.check, self.words, input) = (check, words, .facts(facts))
    }

    fileprivate init(refusalAfter period: TimeSpan) {
        check = .wipe
        words = "the organisation refuses an account that was without a check-in for longer than \(period.iso8601)"
        input = .refusal(after: period.plus(TimeSpan(milliseconds: 1)))
    }

    fileprivate init(wrongPINs failures: Int) {
        check = .pin
        words = "\(failures) wrong PINs were entered"
        input = .pin(failures: failures)
    }

    /// Returns the severest finding of the check under a policy; nil if it finds nothing.
    func finding(_ policy: EffectivePolicy) -> LaunchReport.Finding? {
        switch input {
        case .refusal(let span): return policy.refusalWipe(after: span)
        case .pin(let failures): return policy.pinWipe(after: failures)
        case .facts(let facts):
            let found = policy.launchFindings(facts).findings.filter { $0.check == check.rawValue }
            return found.max { $0.action.rank < $1.action.rank }
        }
    }

    /// The facts of a Linux device that is in order.
    private static let fine: LaunchFacts = {
        var facts = LaunchFacts(libraryVersion: "")
        facts.timeSinceCheckIn = .seconds(0)
        facts.isOnline = true
        facts.lock = .on
        facts.work = .working
        facts.hasSignedIn = true
        facts.health = health(.ok, .secured)
        return facts
    }()

    /// Returns the health of a device whose counting signals are all in one state.
    fileprivate static func health(_ state: DeviceReading.State, _ level: ThreatLevel?) -> DeviceHealth {
        let now = Instant(milliseconds: 0)
        let readings = DeviceSignal.allCases.map {
            DeviceReading($0, $0.countsByDefault ? state : .ok, source: "trial")
        }
        let isCompliant = state == .unknown ? nil : state == .ok
        let report = DeviceHealthReport(app: "", time: now, threatLevel: level, isCompliant: isCompliant)
        return DeviceHealth(readings: readings, report: report, time: now)
    }
}

extension LaunchCase {
    /// Returns every case in which the policies can block or wipe.
    static func all(_ policies: [EffectivePolicy]) -> [LaunchCase] {
        let merged = policies.flatMap(\.policies).map { $0.includingChecks(of: Platform.linux.name) }
        return device + levels + models(merged) + merged.flatMap(times) + merged.flatMap(versions)
            + policies.compactMap(\.pinRule).flatMap { rule in
                Set([rule.maximumAttempts, rule.wipeAfter ?? rule.maximumAttempts]).sorted().map(
                    LaunchCase.init(wrongPINs:))
            }
    }

    private static let device: [LaunchCase] = [
        LaunchCase(.deviceHealth, "a signal of the device's health that counts fails") {
            $0.health = health(.fail, .secured)
        },
        LaunchCase(.deviceHealth, "one of those cannot be told") { $0.health = health(.unknown, .secured) },
        LaunchCase(.disabledAccount, "the organisation has disabled the user") { $0.isDisabled = true },
        LaunchCase(.deviceLock, "the device has no lock") { $0.lock = .off },
        LaunchCase(.clockedOut, "the working time is not reported") { $0.work = .unknown },
        LaunchCase(.clockedOut, "the person is clocked out") { $0.work = .clockedOut(TimeSpan(milliseconds: .max)) },
    ]

    private static let levels: [LaunchCase] =
        [LaunchCase(.threatLevel, "no threat level was reported") { $0.health = health(.ok, nil) }]
        + ThreatLevel.allCases.dropFirst().map { level in
            LaunchCase(.threatLevel, "the threat level is \(level.rawValue)") { $0.health = health(.ok, level) }
        }

    /// Returns the cases of every listed model, of an unlisted one and of an unknown one.
    private static func models(_ policies: [EffectivePolicy.MergedPolicy]) -> [LaunchCase] {
        let lists = policies.compactMap { $0.settings.value(of: LaunchSetting.models)?.array }
        guard !lists.isEmpty else { return [] }
        var named: [String] = []
        for model in lists.joined().compactMap(\.string) where !named.contains(model) { named.append(model) }
        let longest = named.map(\.utf8.count).max() ?? 0
        let other = String(repeating: "?", count: longest + 1)
        let cases = named.prefix(64).map { model in
            LaunchCase(.deviceModel, "the device is a \(ForeignText.quoted(model))") { $0.model = model }
        }
        return cases + [
            LaunchCase(.deviceModel, "the device is of another model") { $0.model = other },
            LaunchCase(.deviceModel, "the device's model is unknown") { $0.model = nil },
        ]
    }

    private static func times(_ policy: EffectivePolicy.MergedPolicy) -> [LaunchCase] {
        let after = policy.offlineGrace
        let grace = LaunchCase(.offline, "an account was without a check-in for longer than \(after.iso8601)") {
            $0.isOnline = false
            $0.timeSinceCheckIn = after.plus(TimeSpan(milliseconds: 1))
        }
        let work = policy.span(LaunchSetting.clockedOutGrace).map { span in
            LaunchCase(.clockedOut, "the person is clocked out for longer than \(span.iso8601)") {
                $0.work = .clockedOut(span.plus(TimeSpan(milliseconds: 1)))
            }
        }
        let wipe = policy.offlineWipe.map(LaunchCase.init(refusalAfter:))
        return [grace] + [work, wipe].compactMap { $0 }
    }

    private static func versions(_ policy: EffectivePolicy.MergedPolicy) -> [LaunchCase] {
        let app = policy.namedApps?.first ?? ""
        let system = cases(policy, .osVersion, VersionBound.system) { $0.systemVersion = $1 }
        let own = cases(policy, .sdkVersion, VersionBound.sdk) { $0.libraryVersion = $1 ?? "" }
        return system + own
            + cases(policy, .appVersion, VersionBound.app) { facts, version in
                (facts.appId, facts.appVersion) = (app, version)
            }
    }

    private static func cases(
        _ policy: EffectivePolicy.MergedPolicy, _ check: LaunchCheck, _ bounds: [VersionBound],
        _ set: @escaping (inout LaunchFacts, String?) -> Void
    ) -> [LaunchCase] {
        let found = bounds.compactMap { bound -> LaunchCase? in
            guard let limit = policy.settings.value(of: bound.setting)?.string,
                let beyond = Version.next(to: limit, isAbove: bound.isMaximum)
            else { return nil }
            let words = "the version of \(check.thing) is \(bound.isMaximum ? "above" : "below") \(limit)"
            return LaunchCase(check, words) { set(&$0, beyond) }
        }
        guard !found.isEmpty, check != .sdkVersion else { return found }
        return found + [LaunchCase(check, "the version of \(check.thing) is unknown") { set(&$0, nil) }]
    }
}

extension Version {
    /// Returns the nearest version above or below a limit; nil if there is none.
    fileprivate static func next(to limit: String, isAbove: Bool) -> String? {
        guard var parts = SettingKind.version(limit) else { return nil }
        if isAbove {
            guard let last = parts.last, last < 9_999_999_999 else { return nil }
            parts[parts.count - 1] = last + 1
        } else {
            guard let last = parts.lastIndex(where: { $0 > 0 }) else { return nil }
            parts[last] -= 1
            for index in parts.indices where index > last { parts[index] = 9_999_999_999 }
        }
        return parts.map(String.init).joined(separator: ".")
    }
}
