import MAMSupport

/// One thing at a time that a launch can find, with nothing else the matter: what follows is asked of the checks themselves.
struct LaunchTrial: Sendable {
    /// How it is put to a policy.
    private enum Subject: Sendable {
        case facts(LaunchFacts)
        case refusal(after: TimeSpan)
        case pin(failures: Int)
    }

    /// The check that looks at it.
    let check: LaunchCheck
    /// The case in words, to follow "where ".
    let words: String
    private let subject: Subject

    fileprivate init(_ check: LaunchCheck, _ words: String, _ change: (inout LaunchFacts) -> Void) {
        var facts = LaunchTrial.fine
        change(&facts)
        (self.check, self.words, subject) = (check, words, .facts(facts))
    }

    fileprivate init(refusalAfter period: TimeSpan) {
        check = .wipe
        words = "the organisation refuses an account that was without a check-in for longer than \(period.iso8601)"
        subject = .refusal(after: period.plus(TimeSpan(milliseconds: 1)))
    }

    fileprivate init(wrongPINs failures: Int) {
        check = .pin
        words = "\(failures) wrong PINs were entered"
        subject = .pin(failures: failures)
    }

    /// What a policy makes of it: the severest finding of the check; nil where it finds nothing.
    func finding(_ policy: EffectivePolicy) -> LaunchReport.Finding? {
        switch subject {
        case .refusal(let span): return policy.refusalWipe(after: span)
        case .pin(let failures): return policy.pinWipe(after: failures)
        case .facts(let facts):
            let found = policy.launch(facts).findings.filter { $0.check == check.rawValue }
            return found.max { $0.action.rank < $1.action.rank }
        }
    }

    /// A Linux computer with nothing the matter.
    private static let fine: LaunchFacts = {
        var facts = LaunchFacts(libraryVersion: "")
        facts.offline = .seconds(0)
        facts.isOnline = true
        facts.lock = .on
        facts.work = .working
        facts.hasSignedIn = true
        facts.health = health(.ok, .secured)
        return facts
    }()

    /// A device of which every signal that counts says the same.
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

extension LaunchTrial {
    /// Every case in which policies can find something that blocks or wipes.
    static func all(_ policies: [EffectivePolicy]) -> [LaunchTrial] {
        let parts = policies.flatMap(\.parts).map { $0.judging(Platform.linux.name) }
        return device + levels + models(parts) + parts.flatMap(times) + parts.flatMap(versions)
            + policies.compactMap(\.pinRule).flatMap { rule in
                Set([rule.attempts, rule.wipeAfter ?? rule.attempts]).sorted().map(LaunchTrial.init(wrongPINs:))
            }
    }

    private static let device: [LaunchTrial] = [
        LaunchTrial(.deviceHealth, "a signal of the device's health that counts fails") {
            $0.health = health(.fail, .secured)
        },
        LaunchTrial(.deviceHealth, "one of those cannot be told") { $0.health = health(.unknown, .secured) },
        LaunchTrial(.disabledAccount, "the organisation has disabled the user") { $0.isDisabled = true },
        LaunchTrial(.deviceLock, "the device has no lock") { $0.lock = .off },
        LaunchTrial(.clockedOut, "nobody reports whether it is working time") { $0.work = .unknown },
        LaunchTrial(.clockedOut, "the person is clocked out") { $0.work = .clockedOut(TimeSpan(milliseconds: .max)) },
    ]

    private static let levels: [LaunchTrial] =
        [LaunchTrial(.threatLevel, "no threat level was reported") { $0.health = health(.ok, nil) }]
        + ThreatLevel.allCases.dropFirst().map { level in
            LaunchTrial(.threatLevel, "the threat level is \(level.rawValue)") { $0.health = health(.ok, level) }
        }

    /// Models that one of several policies lists, and one that none does.
    private static func models(_ parts: [EffectivePolicy.Part]) -> [LaunchTrial] {
        let lists = parts.compactMap { $0.settings.value(of: LaunchSetting.models)?.array }
        guard !lists.isEmpty else { return [] }
        var named: [String] = []
        for model in lists.joined().compactMap(\.string) where !named.contains(model) { named.append(model) }
        let longest = named.map(\.utf8.count).max() ?? 0
        let other = String(repeating: "?", count: longest + 1)
        let trials = named.prefix(64).map { model in
            LaunchTrial(.deviceModel, "the device is a \(Line.quoted(model))") { $0.model = model }
        }
        return trials + [
            LaunchTrial(.deviceModel, "the device is of another model") { $0.model = other },
            LaunchTrial(.deviceModel, "nobody knows the device's model") { $0.model = nil },
        ]
    }

    private static func times(_ part: EffectivePolicy.Part) -> [LaunchTrial] {
        let after = part.offlineGrace
        let grace = LaunchTrial(.offline, "an account was without a check-in for longer than \(after.iso8601)") {
            $0.isOnline = false
            $0.offline = after.plus(TimeSpan(milliseconds: 1))
        }
        let work = part.span(LaunchSetting.clockedOutGrace).map { span in
            LaunchTrial(.clockedOut, "the person is clocked out for longer than \(span.iso8601)") {
                $0.work = .clockedOut(span.plus(TimeSpan(milliseconds: 1)))
            }
        }
        let wipe = part.offlineWipe.map(LaunchTrial.init(refusalAfter:))
        return [grace] + [work, wipe].compactMap { $0 }
    }

    private static func versions(_ part: EffectivePolicy.Part) -> [LaunchTrial] {
        let app = part.namedApps?.first ?? ""
        let system = trials(part, .osVersion, VersionBound.system) { $0.systemVersion = $1 }
        let own = trials(part, .sdkVersion, VersionBound.sdk) { $0.libraryVersion = $1 ?? "" }
        return system + own
            + trials(part, .appVersion, VersionBound.app) { facts, version in
                (facts.appId, facts.appVersion) = (app, version)
            }
    }

    private static func trials(
        _ part: EffectivePolicy.Part, _ check: LaunchCheck, _ bounds: [VersionBound],
        _ set: @escaping (inout LaunchFacts, String?) -> Void
    ) -> [LaunchTrial] {
        let found = bounds.compactMap { bound -> LaunchTrial? in
            guard let limit = part.settings.value(of: bound.setting)?.string,
                let beyond = Version.next(to: limit, isAbove: bound.isMaximum)
            else { return nil }
            let words = "the version of \(check.thing) is \(bound.isMaximum ? "above" : "below") \(limit)"
            return LaunchTrial(check, words) { set(&$0, beyond) }
        }
        guard !found.isEmpty, check != .sdkVersion else { return found }
        return found + [LaunchTrial(check, "nobody knows the version of \(check.thing)") { set(&$0, nil) }]
    }
}

extension Version {
    /// The version next to one, above or below it; nil where there is none.
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
