import MAMSupport

extension AccountPolicy {
    /// Decides whether this many of this account's characters may be pasted into `peer`.
    ///
    /// docs/transfer.md "Clipboard".
    public func copy(_ length: Int, to peer: TransferPeer) -> ClipboardDecision {
        pass(
            length, peer, refusal: RefusedAction("Copying is refused", .refusedCopy), place: "the account there",
            mine: { $0.limit(to: $1) }, theirs: { $0.limit(from: $1) })
    }

    /// Decides whether this many of `peer`'s characters may be pasted into this account.
    ///
    /// docs/transfer.md "Clipboard".
    public func paste(_ length: Int, from peer: TransferPeer) -> ClipboardDecision {
        pass(
            length, peer, refusal: RefusedAction("Pasting is refused", .refusedPaste),
            place: "the account the text comes from",
            mine: { $0.limit(from: $1) }, theirs: { $0.limit(to: $1) })
    }

    /// Applies the rules of both sides; each side's exception allows its own number of characters.
    private func pass(
        _ length: Int, _ peer: TransferPeer, refusal: RefusedAction, place: String,
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
                refusal: refusal, settings: [.clipboardLevel], context: { ofAccount($1.string) },
                allows: { length <= mine($0.clipboard, relation) }))
        let refusedThere =
            other?.refusal(
                RefusalQuery(
                    refusal: refusal, settings: [.clipboardLevel], subject: place,
                    context: { _, _ in " of \(place)\(exception)" },
                    allows: { length <= theirs($0.clipboard, relation) }))
            ?? closed.map { Reason(noSetting: refusal, $0) }
        return ClipboardDecision(
            decision: Decision(.both(refused, refusedThere)), limit: limit == .max ? nil : limit)
    }
}
