import MAMSupport

/// The checks of versions; docs/launch.md. A version equal to a bound passes.
extension EffectivePolicy.MergedPolicy {
    func checkVersions(_ evaluation: inout LaunchEvaluation) {
        let facts = evaluation.facts
        check(.sdkVersion, VersionBound.sdk, facts.libraryVersion, ("libmam", "update libmam"), &evaluation)
        if boundsVersions(of: facts.appId) {
            check(.appVersion, VersionBound.app, facts.appVersion, ("the app", "update the app"), &evaluation)
        }
        guard isOfPlatform(facts.platform) else { return }
        check(
            .osVersion, VersionBound.system, facts.systemVersion, ("the system", "install a version that is allowed"),
            &evaluation)
    }

    /// Returns whether the policy's bounds on app versions apply to this app: other apps number their versions differently.
    private func boundsVersions(of app: String) -> Bool {
        namedApps?.contains { $0.utf8.elementsEqual(app.utf8) } ?? true
    }

    /// Returns the bounds on versions of products other than libmam, and of other apps.
    func inapplicableVersions(_ facts: LaunchFacts) -> [LaunchReport.NotApplicable] {
        func rows(_ settings: [String], _ why: String) -> [LaunchReport.NotApplicable] {
            settings.map {
                .init(setting: $0, policyId: id, policyName: name, message: "\($0) of \(title) \(why)")
            }
        }
        let sdk = rows(sdkVersionProperties, "is a version of Intune's SDK, not of libmam")
        let app = ForeignText.bounded(facts.appId, limit: 80)
        return boundsVersions(of: facts.appId)
            ? sdk
            : sdk
                + rows(
                    appVersionProperties, "is a version of the apps that the policy names, and \(app) is none of them")
    }

    private func check(
        _ check: LaunchCheck, _ bounds: [VersionBound], _ actual: String?, _ words: (thing: String, remedy: String),
        _ evaluation: inout LaunchEvaluation
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
                    "Version \(ForeignText.bounded(actual, limit: 40)) of \(words.thing) is too \(bound.isMaximum ? "high" : "low")"
            } else {
                found =
                    actual.map { "Version \(ForeignText.quoted($0)) of \(words.thing) is none that can be compared" }
                    ?? "The version of \(words.thing) is unknown"
                isCertain = false
            }
            // An unknown or misread version never wipes.
            let action: LaunchReport.Action = bound.action == .wipe && !isCertain ? .block : bound.action
            // Only the host can state its version.
            let isUnstated = check == .appVersion && actual == nil
            let remedy = isUnstated ? "the host gives \"app\":{\"version\":…} to mam_open" : words.remedy
            let outcome = action == .wipe ? "its data is removed from this app" : remedy
            evaluation.add(
                .init(
                    check: check, action: action, setting: bound.setting, value: value,
                    message: "\(found), where \(clause(bound.setting, value)): \(outcome)", policy: self,
                    messageKey: isUnstated ? .launchAppVersionUnknown : nil))
        }
    }
}
