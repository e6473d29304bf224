import MAMSupport

extension AccountPolicy {
    /// Decides whether this many of this account's characters may be pasted into `peer`.
    ///
    /// docs/transfer.md "Clipboard".
    public func copy(_ length: Int, to peer: TransferPeer) -> ClipboardDecision {
        pass(
            length, peer, isLeaving: true, place: "the account there",
            mine: { $0.limit(to: $1) }, theirs: { $0.limit(from: $1) })
    }

    /// Decides whether this many of `peer`'s characters may be pasted into this account.
    ///
    /// docs/transfer.md "Clipboard".
    public func paste(_ length: Int, from peer: TransferPeer) -> ClipboardDecision {
        pass(
            length, peer, isLeaving: false, place: "the account the text comes from",
            mine: { $0.limit(from: $1) }, theirs: { $0.limit(to: $1) })
    }

    /// Applies the rules of both sides; each side's exception allows its own number of characters.
    private func pass(
        _ length: Int, _ peer: TransferPeer, isLeaving: Bool, place: String,
        mine: @escaping (ClipboardRules, Relation) -> Int, theirs: @escaping (ClipboardRules, Relation) -> Int
    ) -> ClipboardDecision {
        let relation = relation(to: peer)
        let other: EffectivePolicy? = if case .other(let account) = peer { account.policy } else { nil }
        let limits = [
            policy.map { mine($0.rules.clipboard, relation) }, other.map { theirs($0.rules.clipboard, relation) },
        ]
        let closed: String? = if case .closed(let why) = peer { why } else { nil }
        let isClosed = policy?.isLockDown == true || other?.isLockDown == true || closed != nil
        let limit = isClosed ? 0 : limits.compactMap(\.self).min() ?? .max
        let exception = limit > 0 && limit < .max ? "; at most \(limit) characters may pass" : ""
        func ofAccount(_ level: String?) -> String {
            (ClipboardLevel(name: level, on: .unknown) == .blocked ? "" : " and \(place) is \(relation.words)")
                + exception
        }
        let refused = policy?.refusal(
            RefusalQuery(
                action: isLeaving ? .copy : .paste, settings: [.clipboardLevel], context: { ofAccount($1.string) },
                allows: { length <= mine($0.clipboard, relation) }))
        let refusedThere =
            other?.refusal(
                RefusalQuery(
                    action: isLeaving ? .paste : .copy, settings: [.clipboardLevel], subject: place,
                    context: { _, _ in " of \(place)\(exception)" },
                    allows: { length <= theirs($0.clipboard, relation) }))
            ?? closed.map { Reason(noSetting: isLeaving ? .paste : .copy, $0) }
        // The same refusal has the same reason, whichever side is asked: the one of the side that the text leaves comes first.
        let reason: Reason? = isLeaving ? .both(refused, refusedThere) : .both(refusedThere, refused)
        return ClipboardDecision(
            decision: Decision(reason), limit: limit == .max ? nil : limit)
    }
}

extension RefusedAction {
    /// The side that the text leaves refuses.
    fileprivate static let copy = RefusedAction("Copying is refused", .refusedCopy)
    /// The side that the text would enter refuses.
    fileprivate static let paste = RefusedAction("Pasting is refused", .refusedPaste)
}
