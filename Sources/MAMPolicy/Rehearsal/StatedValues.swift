import MAMSupport

/// What a policy states of each property, as it is read; for rules that look at several.
struct StatedValues: Sendable {
    private let document: PolicyDocument

    init(_ document: PolicyDocument) { self.document = document }

    /// The value of a property as it is read; as it is written where this platform does not read it; nil where it says nothing.
    subscript(_ property: String) -> JSON? {
        if let value = document.settings.value(of: property) { return value }
        guard let kind = PropertyTable[property]?.kind else { return document.json[property] }
        return document.json[property].flatMap { kind.read($0).value }
    }

    func text(_ property: String) -> String? { self[property]?.string }
    func span(_ property: String) -> TimeSpan? { text(property).flatMap(TimeSpan.init(iso8601:)) }

    /// Whether both periods are stated and on, and the first is over no later than the second.
    func isNotLonger(_ property: String, than other: String) -> Bool {
        guard let a = span(property), let b = span(other), a > .seconds(0), b > .seconds(0) else { return false }
        return a <= b
    }

    /// Whether both versions are stated, and the first is above the second.
    func isAbove(_ property: String, _ other: String) -> Bool {
        guard let a = version(property), let b = version(other) else { return false }
        return b.lexicographicallyPrecedes(a)
    }

    /// Whether a limit on versions acts wherever another one does: a lowest version that is as high, a highest one that is as low.
    func actsAsEarly(_ property: String, as other: String) -> Bool {
        guard version(property) != nil, version(other) != nil, let kind = PropertyTable[other]?.kind,
            let a = self[property], let b = self[other], let early = kind.rank(a), let late = kind.rank(b)
        else { return false }
        return !early.lexicographicallyPrecedes(late)
    }

    /// The version that is written there; the value that stands in for one that is misread is none to compare.
    private func version(_ property: String) -> [Int64]? {
        document.json[property]?.string.flatMap(SettingKind.version)
    }
}
