import MAMPolicy
import MAMSupport

/// Replies to `mam_policy_check`.
extension Snapshot {
    /// The reply's JSON text.
    func reply(to request: CheckRequest, in language: Language) throws(MAMError) -> [UInt8] {
        let own = try ownPlace(of: request.account)
        let other = try place(of: request.other, "request.locationAccount")
        // The same name on both sides is the same account, managed or not.
        let isSame =
            own == other && request.other?.isEmpty == false
            && (own.account != nil
                || Identity.fold(request.account ?? "") == Identity.fold(request.other ?? ""))
        var peer: TransferPeer {
            isSame ? .sameAccount : request.other?.isEmpty == false ? .other(other.side(self)) : .unknown
        }
        if !isSame, let why = try refusalToReceive(request, other) {
            return uncachedReply(request.action, own.side(self), .closed(why: why), language).utf8
        }
        guard let number = request.action.number, let place = own.number, let otherPlace = other.number else {
            return uncachedReply(request.action, own.side(self), peer, language).utf8
        }
        let key = ReplyCache.Key(
            question: number, own: place, other: isSame ? 1 : request.other?.isEmpty == false ? otherPlace : 0)
        return replies.reply(key) {
            decide(request.action, own.side(self), peer).json(
                isRequirement: request.action.isRequirement, in: language
            ).utf8
        }
    }

    /// The reason why the other side's name receives nothing, whatever the policy; nil for data that comes from it.
    private func refusalToReceive(
        _ request: CheckRequest, _ other: Place
    ) throws(MAMError) -> String? {
        switch request.action {
        case .saveTo, .copy: break
        default: return nil
        }
        guard case .unmanaged = other.side(self), let name = request.other, !name.isEmpty else { return nil }
        return refusalToReceive(try Identity(name, argument: "request.locationAccount"))
    }

    /// Replies that are not cached: there are too many links, lengths and causes of a lock-down.
    private func uncachedReply(
        _ action: CheckRequest.Action, _ side: AccountPolicy, _ peer: TransferPeer, _ language: Language
    ) -> JSON {
        switch action {
        case .url(let link, let isKnownManaged): side.open(link, isKnownManaged: isKnownManaged).json(in: language)
        case .copy(let length): side.copy(length, to: peer).json(in: language)
        case .paste(let length): side.paste(length, from: peer).json(in: language)
        default:
            decide(action, side, peer).json(isRequirement: action.isRequirement, in: language)
        }
    }

    /// The position of a name in a snapshot.
    private enum Place: Equatable {
        case unmanaged
        case lockedDown(LockDownCause)
        case known(Int)

        var account: Int? { if case .known(let index) = self { index } else { nil } }

        /// The number in a cache key, from 2: 0 is "unknown" and 1 "the same account". nil if the lock-down's cause is specific to
        /// the name.
        var number: UInt16? {
            switch self {
            case .unmanaged: 2
            case .lockedDown: nil
            case .known(let index): UInt16(clamping: index &+ 3)
            }
        }

        func side(_ snapshot: Snapshot) -> AccountPolicy {
            switch self {
            case .unmanaged: .unmanaged
            case .lockedDown(let cause): .lockedDown(cause)
            case .known(let index): snapshot.accounts[index].accountPolicy
            }
        }
    }

    /// The place of the account whose data the request is about.
    private func ownPlace(of text: String?) throws(MAMError) -> Place {
        let argument = "request.account"
        let place = try place(of: text, argument)
        guard let text, !text.isEmpty, case .unmanaged = place.side(self),
            let cause = refusalToRelease(try Identity(text, argument: argument))
        else { return place }
        return .lockedDown(cause)
    }

    private func place(of text: String?, _ argument: String) throws(MAMError) -> Place {
        guard var name = text, !name.isEmpty else { return .unmanaged }
        if let index = name.withUTF8({ accountIndex(named: $0) }), accounts[index].policy != nil {
            return .known(index)
        }
        let argument = try AccountArgument(name, argument: argument)
        try checkKnown(argument)
        if case .managed(_, _, let policy) = accountPolicy(of: argument) {
            return .lockedDown(policy.lockDownCause ?? .wiping)
        }
        // Known but unmanaged: the index distinguishes it from other unmanaged accounts.
        return name.withUTF8({ accountIndex(named: $0) }).map(Place.known) ?? .unmanaged
    }
}
