extension Party {
    /// May so many characters of this account's data be pasted where the counterpart is?
    ///
    /// docs/transfer.md "Clipboard".
    public func copy(_ length: Int, to counterpart: Counterpart) -> ClipboardDecision {
        pass(
            length, counterpart, refusal: "Copying is refused", place: "the account there",
            mine: { $0.limit(to: $1) }, theirs: { $0.limit(from: $1) })
    }

    /// May so many characters of the counterpart's data be pasted into this account's?
    ///
    /// docs/transfer.md "Clipboard".
    public func paste(_ length: Int, from counterpart: Counterpart) -> ClipboardDecision {
        pass(
            length, counterpart, refusal: "Pasting is refused", place: "the account the text comes from",
            mine: { $0.limit(from: $1) }, theirs: { $0.limit(to: $1) })
    }

    /// Both sides have to agree; each lets the characters of its own exception through.
    private func pass(
        _ length: Int, _ counterpart: Counterpart, refusal: String, place: String,
        mine: @escaping (ClipboardRules, Relation) -> Int, theirs: @escaping (ClipboardRules, Relation) -> Int
    ) -> ClipboardDecision {
        let relation = relation(to: counterpart)
        let other: EffectivePolicy? = if case .other(let party) = counterpart { party.policy } else { nil }
        let limits = [
            policy.map { mine($0.rules.clipboard, relation) }, other.map { theirs($0.rules.clipboard, relation) },
        ]
        let closed: String? = if case .closed(let why) = counterpart { why } else { nil }
        let isClosed = policy?.isLockDown == true || other?.isLockDown == true || closed != nil
        let limit = isClosed ? 0 : limits.compactMap(\.self).min() ?? .max
        let exception = limit > 0 && limit < .max ? "; at most \(limit) characters may pass" : ""
        func ofMine(_ level: String?) -> String {
            (ClipboardLevel(name: level, on: .unknown) == .blocked ? "" : " and \(place) is \(relation.words)")
                + exception
        }
        let refused = policy?.refusal(
            Question(
                refusal: refusal, settings: [.clipboardLevel], context: { ofMine($1.string) },
                allows: { length <= mine($0.clipboard, relation) }))
        let refusedThere =
            other?.refusal(
                Question(
                    refusal: refusal, settings: [.clipboardLevel], subject: place,
                    context: { _, _ in " of \(place)\(exception)" },
                    allows: { length <= theirs($0.clipboard, relation) }))
            ?? closed.map { Reason(noSetting: "\(refusal): \($0)") }
        return ClipboardDecision(
            decision: Decision(.both(refused, refusedThere)), limit: limit == .max ? nil : limit)
    }
}
