import MAMSupport

/// The values of a policy's properties, for lint rules that compare several.
struct StatedValues: Sendable {
    private let document: PolicyDocument

    init(_ document: PolicyDocument) { self.document = document }

    /// Returns a property's value as it is read on the policy's platform, else as it is written; nil if the property is not
    /// set.
    subscript(_ property: String) -> JSON? {
        if let value = document.settings.value(of: property) { return value }
        guard let kind = PropertyTable[property]?.kind else { return document.json[property] }
        return document.json[property].flatMap { kind.read($0).value }
    }

    func text(_ property: String) -> String? { self[property]?.string }
    func span(_ property: String) -> TimeSpan? { text(property).flatMap(TimeSpan.init(iso8601:)) }

    /// Returns whether both periods are set and positive, and the first is not longer than the second.
    func isNotLonger(_ property: String, than other: String) -> Bool {
        guard let a = span(property), let b = span(other), a > .seconds(0), b > .seconds(0) else { return false }
        return a <= b
    }

    /// Returns whether both versions are set, and the first is above the second.
    func isAbove(_ property: String, _ other: String) -> Bool {
        guard let a = version(property), let b = version(other) else { return false }
        return b.lexicographicallyPrecedes(a)
    }

    /// Returns whether a version bound applies wherever another one does: a minimum that is at least as high, or a maximum that
    /// is at least as low.
    func actsAsEarly(_ property: String, as other: String) -> Bool {
        guard version(property) != nil, version(other) != nil, let kind = PropertyTable[other]?.kind,
            let a = self[property], let b = self[other], let early = kind.rank(a), let late = kind.rank(b)
        else { return false }
        return !early.lexicographicallyPrecedes(late)
    }

    /// Returns the version as written. The substitute for a version that was not understood is not compared.
    private func version(_ property: String) -> [Int64]? {
        document.json[property]?.string.flatMap(SettingKind.version)
    }
}
