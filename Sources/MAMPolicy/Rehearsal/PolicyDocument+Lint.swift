import MAMSupport

extension PolicyDocument {
    /// What an administrator should know before this policy is rolled out, in the order of its properties. What concerns
    /// two settings stands with the one that does not do what it says.
    public var lint: [LintFinding] { lint(isTargeted: false) }

    /// The warnings among them that an import repeats, for a policy that targets apps besides those that stand in it where
    /// `isTargeted`: all but those of wipes that the organisation has to decide on first, which nearly every policy has.
    public func importWarnings(isTargeted: Bool) -> [LintFinding] {
        let decided = Set(PropertyTable.wipes.filter(\.awaitsDecision).map(\.name))
        return lint(isTargeted: isTargeted).filter {
            $0.severity == .warning && !($0.kind == .wipe && decided.contains($0.setting))
        }
    }

    private func lint(isTargeted: Bool) -> [LintFinding] {
        let values = StatedValues(self)
        // Hosts of the policy's own platform read what this one does not.
        let unread = warnings + hostChecks.warnings
        let misread = Dictionary(unread.map { ($0.setting, $0.message) }, uniquingKeysWith: { first, _ in first })
        let wiping = EffectivePolicy(merging: [self]).wipes
        let reach = DocumentReach(json, isTargeted: isTargeted || isTenantDefault)
        return (json.object ?? []).flatMap { (name, value) -> [LintFinding] in
            func finding(
                _ severity: LintFinding.Severity, _ kind: LintFinding.Kind, _ message: String, _ value: JSON
            ) -> LintFinding {
                LintFinding(
                    severity: severity, kind: kind, setting: Line.bounded(name, limit: 200), value: value,
                    message: message)
            }
            guard let property = PropertyTable[name] else {
                let meant = KnownName.nearest(to: name).map { "; is \($0) meant?" } ?? ""
                return [
                    finding(.warning, .unknown, "no property of this name is known, so it does nothing\(meant)", value)
                ]
            }
            if let problem = misread[name] { return [finding(.warning, .value, problem, value)] }
            var found = reach.remarks.filter { $0.setting == name }.map {
                finding(.warning, .reach, $0.message, $0.value)
            }
            if isTenantDefault, name == "assignments", !reach.excludedGroups.isEmpty {
                found.append(finding(.warning, .reach, PolicyDocument.defaultExcludesNobody, .null))
            }
            guard restrictsSomething(property, values[name]) else { return found }
            found += wiping.filter { $0.name == name }.map { wipe in
                var warning = finding(.warning, .wipe, wipe.message, value)
                warning.check = wipe.check.rawValue
                warning.signals = wipe.signals.map(\.rawValue)
                return warning
            }
            // A property that the policy cannot have neither supports nor contradicts its other settings.
            if property.canStand(in: platform) {
                found += LintRule.all.filter { $0.setting == name && $0.isBroken(values) }.map {
                    finding($0.severity, $0.kind, $0.message, value)
                }
            }
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

    /// Why the exclusion of a group does nothing in a tenant default.
    public static let defaultExcludesNobody =
        "excludes a group, but a tenant default reaches everybody whom no other policy reaches"

    /// Whether a property, as it is read, asks for anything: a switch that is off, an empty list or "none" need no finding.
    private func restrictsSomething(_ property: PropertyDefinition, _ value: JSON?) -> Bool {
        guard let value, !value.isNull, value != "", value != [], value != false, value != 0 else { return false }
        if let setting = property.setting { return !setting.isNeutral(value) }
        return property.kind == nil ? !property.isDescriptive : !property.isOff(value)
    }
}
