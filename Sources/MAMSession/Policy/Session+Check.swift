import MAMPolicy
import MAMSupport

extension Session {
    private static let maximumRequests = 1000

    /// `mam_policy_check`: one request, or an array of them. The result is the reply's JSON text.
    public func check(_ request: JSON) throws(MAMError) -> [UInt8] {
        let snapshot = try current()
        guard let requests = request.array else { return try reply(try CheckRequest(request), snapshot) }
        guard requests.count <= Session.maximumRequests else {
            throw .argument(
                "request_json", "holds \(requests.count) requests; at most \(Session.maximumRequests) are taken")
        }
        var replies: [UInt8] = [UInt8(ascii: "[")]
        for request in requests {
            if replies.count > 1 { replies.append(UInt8(ascii: ",")) }
            replies += try reply(try CheckRequest(request), snapshot)
        }
        replies.append(UInt8(ascii: "]"))
        return replies
    }

    private func reply(_ request: CheckRequest, _ snapshot: Snapshot) throws(MAMError) -> [UInt8] {
        let own = try place(of: request.account, "request.account", snapshot)
        let other = try place(of: request.other, "request.locationAccount", snapshot)
        // The same name on both sides is the same account, managed or not.
        let isSame =
            own == other && request.other?.isEmpty == false
            && (own.account != nil
                || Identity.fold(request.account ?? "") == Identity.fold(request.other ?? ""))
        var counterpart: Counterpart {
            isSame ? .sameAccount : request.other?.isEmpty == false ? .other(other.side(snapshot)) : .unknown
        }
        if !isSame, let why = try refusalToReceive(request, other, snapshot) {
            return rareReply(request.question, own.side(snapshot), .closed(why: why), snapshot).utf8
        }
        guard let number = request.question.number, let place = own.number, let otherPlace = other.number else {
            return rareReply(request.question, own.side(snapshot), counterpart, snapshot).utf8
        }
        let key = ReplyCache.Key(
            question: number, own: place, other: isSame ? 1 : request.other?.isEmpty == false ? otherPlace : 0)
        return snapshot.replies.reply(key) {
            decide(request.question, own.side(snapshot), counterpart, snapshot).json(
                isRequirement: request.question.isRequirement
            ).utf8
        }
    }

    /// Why the name on the other side receives nothing, whatever policy says; nil for data that comes from there.
    private func refusalToReceive(
        _ request: CheckRequest, _ other: Place, _ snapshot: Snapshot
    ) throws(MAMError) -> String? {
        switch request.question {
        case .saveTo, .copy: break
        default: return nil
        }
        guard case .unmanaged = other.side(snapshot), let name = request.other, !name.isEmpty else { return nil }
        return snapshot.refusalToReceive(try Identity(name, argument: "request.locationAccount"))
    }

    /// There are more links, lengths and causes of a lock-down than can be remembered.
    private func rareReply(
        _ question: CheckRequest.Question, _ side: Party, _ counterpart: Counterpart, _ snapshot: Snapshot
    ) -> JSON {
        switch question {
        case .url(let link, let isKnownManaged): side.open(link, isKnownManaged: isKnownManaged).json
        case .copy(let length): side.copy(length, to: counterpart).json
        case .paste(let length): side.paste(length, from: counterpart).json
        default:
            decide(question, side, counterpart, snapshot).json(isRequirement: question.isRequirement)
        }
    }

    /// Where a name stands in a snapshot.
    private enum Place: Equatable {
        case unmanaged
        case lockedDown(LockDownCause)
        case known(Int)

        var account: Int? { if case .known(let index) = self { index } else { nil } }

        /// 2 and up; 0 and 1 are taken by "unknown" and "the same account". nil where the cause is the name's own.
        var number: UInt16? {
            switch self {
            case .unmanaged: 2
            case .lockedDown: nil
            case .known(let index): UInt16(clamping: index &+ 3)
            }
        }

        func side(_ snapshot: Snapshot) -> Party {
            switch self {
            case .unmanaged: .unmanaged
            case .lockedDown(let cause): .lockedDown(cause)
            case .known(let index): snapshot.accounts[index].party
            }
        }
    }

    private func place(of text: String?, _ argument: String, _ snapshot: Snapshot) throws(MAMError) -> Place {
        guard var name = text, !name.isEmpty else { return .unmanaged }
        if let index = name.withUTF8({ snapshot.place(of: $0) }), snapshot.accounts[index].policy != nil {
            return .known(index)
        }
        let argument = try AccountArgument(name, argument: argument)
        try checkKnown(argument, snapshot)
        if case .managed(_, _, let policy) = side(of: argument, snapshot) {
            return .lockedDown(policy.lockDownCause ?? .isWiping)
        }
        // Known but unmanaged: the place tells it from other unmanaged accounts.
        return name.withUTF8({ snapshot.place(of: $0) }).map(Place.known) ?? .unmanaged
    }
}
