import MAMSupport

extension PolicyDocument {
    /// The lint findings, in the order of the policy's properties. A finding about two settings is reported for the one that
    /// has no effect.
    public var lint: [LintFinding] { lint(isTargeted: false) }

    /// Returns the warnings that an import repeats: all except those of wipes that wait for a decision of the organisation,
    /// which nearly every policy has. `isTargeted`: the policy targets apps besides those that it names.
    public func importWarnings(isTargeted: Bool) -> [LintFinding] {
        let decided = Set(PropertyTable.wipes.filter(\.awaitsDecision).map(\.name))
        return lint(isTargeted: isTargeted).filter {
            $0.severity == .warning && !($0.kind == .wipe && decided.contains($0.setting))
        }
    }

    private func lint(isTargeted: Bool) -> [LintFinding] {
        let values = StatedValues(self)
        // Include the values that only hosts of the policy's own platform read.
        let unreadable = unreadableValues + hostChecks.unreadableValues
        let misread = Dictionary(unreadable.map { ($0.setting, $0.message) }, uniquingKeysWith: { first, _ in first })
        let wiping = EffectivePolicy(merging: [self]).wipes
        let reach = DocumentReach(json, isTargeted: isTargeted || isTenantDefault)
        return (json.object ?? []).flatMap { (name, value) -> [LintFinding] in
            func finding(
                _ severity: LintFinding.Severity, _ kind: LintFinding.Kind, _ message: String, _ value: JSON
            ) -> LintFinding {
                LintFinding(
                    severity: severity, kind: kind, setting: ForeignText.bounded(name, limit: 200), value: value,
                    message: message)
            }
            guard let property = PropertyTable[name] else {
                let meant = PropertySuggestion.nearest(to: name).map { "; is \($0) meant?" } ?? ""
                return [
                    finding(.warning, .unknown, "no property of this name is known, so it does nothing\(meant)", value)
                ]
            }
            if let problem = misread[name] { return [finding(.warning, .value, problem, value)] }
            var found = reach.issues.filter { $0.setting == name }.map {
                finding(.warning, .reach, $0.message, $0.value)
            }
            if isTenantDefault, name == "assignments", !reach.excludedGroups.isEmpty {
                found.append(finding(.warning, .reach, PolicyDocument.defaultExcludesNobody, .null))
            }
            func broken(_ rules: [LintRule]) -> [LintFinding] {
                guard property.isAllowed(in: platform) else { return [] }
                return rules.filter { $0.setting == name && $0.isBroken(values) }.map {
                    finding($0.severity, $0.kind, $0.message, value)
                }
            }
            guard restrictsSomething(property, values[name]) else { return found + broken(LintRule.unrestricting) }
            found += wiping.filter { $0.name == name }.map { wipe in
                var warning = finding(.warning, .wipe, wipe.message, value)
                warning.check = wipe.check.rawValue
                warning.signals = wipe.signals.map(\.rawValue)
                return warning
            }
            // A property that the platform's policies cannot have does not interact with other settings.
            found += broken(LintRule.all)
            if case .later(let feature) = property.coverage {
                return found.isEmpty
                    ? [finding(.note, .notEnforced, "not enforced by this release: \(feature)", value)] : found
            }
            let (status, why) = property.status(on: platform, namesApps: !namedApps.isEmpty)
            if status == .notApplicable, !property.isDescriptive {
                let severity: LintFinding.Severity = property.seemsEnforced(on: platform) ? .warning : .note
                found.append(finding(severity, .crossPlatform, "does nothing here: \(why)", value))
            }
            return found
        }
    }

    /// The finding for a tenant default that excludes a group.
    public static let defaultExcludesNobody =
        "excludes a group, but a tenant default reaches everybody whom no other policy reaches"

    /// Returns whether a property's value restricts anything. Flags that are off, empty lists and "none" need no finding.
    private func restrictsSomething(_ property: PropertyDefinition, _ value: JSON?) -> Bool {
        guard let value, !value.isNull, value != "", value != [], value != false, value != 0 else { return false }
        if let setting = property.setting { return !setting.isNeutral(value) }
        return property.kind == nil ? !property.isDescriptive : !property.isOff(value)
    }
}
