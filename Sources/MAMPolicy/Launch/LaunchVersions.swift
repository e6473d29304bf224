import MAMSupport

/// The checks of versions: semantics.md 5.1. "minimumWipe…" and its kind wipe strictly below.
extension EffectivePolicy.Part {
    func checkVersions(_ look: inout LaunchLook) {
        let facts = look.facts
        check(.sdkVersion, VersionBound.sdk, facts.libraryVersion, ("libmam", "update libmam"), &look)
        if isAbout(app: facts.appId) {
            check(.appVersion, VersionBound.app, facts.appVersion, ("the app", "update the app"), &look)
        }
        guard isOfPlatform(facts.platform) else { return }
        check(
            .osVersion, VersionBound.system, facts.systemVersion, ("the system", "install a version that is allowed"),
            &look)
    }

    /// Whether versions of apps that it bounds are this app's. Another app's numbers say nothing about it.
    private func isAbout(app: String) -> Bool { namedApps?.contains { $0.utf8.elementsEqual(app.utf8) } ?? true }

    /// The bounds on versions of another product than libmam, or of another app than this.
    func inapplicableVersions(_ facts: LaunchFacts) -> [LaunchReport.NotApplicable] {
        func rows(_ settings: [String], _ why: String) -> [LaunchReport.NotApplicable] {
            settings.map {
                .init(setting: $0, policyId: id, policyName: name, message: "\($0) of \(title) \(why)")
            }
        }
        let sdk = rows(ofSDK, "is a version of Intune's SDK, not of libmam")
        let app = Line.bounded(facts.appId, limit: 80)
        return isAbout(app: facts.appId)
            ? sdk : sdk + rows(ofApps, "is a version of the apps that the policy names, and \(app) is none of them")
    }

    private func check(
        _ check: LaunchCheck, _ bounds: [VersionBound], _ actual: String?, _ words: (thing: String, remedy: String),
        _ look: inout LaunchLook
    ) {
        for bound in bounds {
            guard let value = settings.value(of: bound.setting), let limit = Version(value.string ?? "") else {
                continue
            }
            let found: String
            var isCertain = !isMisread(bound.setting)
            if let actual, let version = Version(actual) {
                guard bound.isMaximum ? limit < version : version < limit else { continue }
                found =
                    "Version \(Line.bounded(actual, limit: 40)) of \(words.thing) is too \(bound.isMaximum ? "high" : "low")"
            } else {
                found =
                    actual.map { "Version \(Line.quoted($0)) of \(words.thing) is none that can be compared" }
                    ?? "Nobody knows the version of \(words.thing)"
                isCertain = false
            }
            // Nothing is removed on a guess.
            let action: LaunchReport.Action = bound.action == .wipe && !isCertain ? .block : bound.action
            let outcome = action == .wipe ? "its data is removed from this app" : words.remedy
            look.add(
                .init(
                    check: check, action: action, setting: bound.setting, value: value,
                    message: "\(found), where \(clause(bound.setting, value)): \(outcome)", part: self))
        }
    }
}
