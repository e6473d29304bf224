import MAMSupport

extension PolicyDocument {
    /// What an administrator should know before this policy is rolled out, in the order of its properties. What concerns
    /// two settings stands with the one that does not do what it says.
    public var lint: [LintFinding] {
        let values = StatedValues(self)
        let misread = Dictionary(warnings.map { ($0.setting, $0.message) }, uniquingKeysWith: { first, _ in first })
        return (json.object ?? []).flatMap { (name, value) -> [LintFinding] in
            func finding(_ severity: LintFinding.Severity, _ kind: LintFinding.Kind, _ message: String) -> LintFinding {
                LintFinding(
                    severity: severity, kind: kind, setting: Line.bounded(name, limit: 200), value: value,
                    message: message)
            }
            guard let property = PropertyTable[name] else {
                return [finding(.note, .unknown, "no property of this name is known; it is kept, and does nothing")]
            }
            if let problem = misread[name] { return [finding(.warning, .value, problem)] }
            guard restrictsSomething(property, values[name]) else { return [] }
            var found = LintRule.all.filter { $0.setting == name && $0.isBroken(values) }.map {
                finding($0.kind == .contradictory ? .warning : .note, $0.kind, $0.message)
            }
            if case .later(let feature) = property.coverage {
                return found.isEmpty
                    ? [finding(.note, .notEnforced, "not enforced by this release: \(feature)")] : found
            }
            let (status, why) = property.status(on: platform, namesApps: !namedApps.isEmpty)
            if status == .notApplicable, !property.isDescriptive {
                let severity: LintFinding.Severity = property.seemsEnforced(on: platform) ? .warning : .note
                found.append(finding(severity, .crossPlatform, "does nothing here: \(why)"))
            }
            return found
        }
    }

    /// Whether a property, as it is read, asks for anything: a switch that is off, an empty list or "none" need no finding.
    private func restrictsSomething(_ property: PropertyDefinition, _ value: JSON?) -> Bool {
        guard let value, !value.isNull, value != "", value != [], value != false, value != 0 else { return false }
        if let setting = property.setting { return value != setting.neutral }
        return property.kind == nil ? !property.isDescriptive : !property.isOff(value)
    }
}
