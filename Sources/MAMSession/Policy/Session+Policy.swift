import CPlatform
import MAMPolicy
import MAMProtection
import MAMSupport

extension Session {
    /// Which side of a decision a name is on.
    func side(of argument: AccountArgument, _ snapshot: Snapshot) -> Party {
        guard case .named(let identity) = argument else { return .unmanaged }
        if let account = snapshot.find(identity) {
            // Registered anew while its wipe is under way: closed until that is done.
            if account.policy == nil, snapshot.wipe(of: identity) != nil { return .lockedDown(.isWiping) }
            return account.party
        }
        // A wipe is under way, or an account that might be this one does not open: closed.
        if snapshot.wipe(of: identity) != nil { return .lockedDown(.isWiping) }
        if let problem = snapshot.problem(of: identity) { return .lockedDown(.closed(problem)) }
        return .unmanaged
    }

    /// The other side of a decision: where data comes from.
    func counterpart(_ argument: AccountArgument, of own: PolicySubject, _ snapshot: Snapshot) -> Counterpart {
        guard case .named(let identity) = argument else { return .unknown }
        if own.names.contains(where: { isSame($0, identity, snapshot) }) { return .sameAccount }
        return .other(side(of: argument, snapshot))
    }

    /// The same where data goes: closed for a name that has left, or that nobody registered in the organisation's domain.
    func receiver(_ argument: AccountArgument, of own: PolicySubject, _ snapshot: Snapshot) -> Counterpart {
        let counterpart = counterpart(argument, of: own, snapshot)
        guard case .other(.unmanaged) = counterpart, let identity = argument.identity,
            let why = snapshot.refusalToReceive(identity)
        else { return counterpart }
        return .closed(why: why)
    }

    /// `"unknownIdentities":"error"`: a name that is not registered is an error.
    func checkKnown(_ argument: AccountArgument, _ snapshot: Snapshot) throws(MAMError) {
        guard settings.refusesUnknownIdentities, case .named(let identity) = argument, snapshot.find(identity) == nil,
            (try? snapshot.names.get())?.isRegistered(identity.folded) != true
        else { return }
        throw MAMError(
            .notFound,
            "the account is not registered with this app, and the session refuses unknown names (unknownIdentities: error)",
            [("accountId", .string(identity.text))])
    }

    /// What a predicate function returns.
    func answer(_ predicate: Predicate, of side: Party, _ snapshot: Snapshot) -> Bool {
        decide(.predicate(predicate), side, .unknown, snapshot).allowed != predicate.isRequirement
    }

    /// An answer. A keyboard sees what is typed for any account of the program, so that one policy that blocks it blocks it
    /// for accounts without a policy too.
    func decide(
        _ question: CheckRequest.Question, _ side: Party, _ counterpart: Counterpart, _ snapshot: Snapshot
    ) -> Decision {
        let facts = snapshot.deviceFacts
        let own = side.decide(question, counterpart, device: facts)
        guard case .predicate(.thirdPartyKeyboards) = question, case .unmanaged = side else { return own }
        let others = snapshot.accounts.lazy.map { $0.party.decide(question, counterpart, device: facts) }
        return others.first { !$0.allowed } ?? own
    }

    /// A handle that answers for a subject until it is released; `newToken` makes the token of mam.h for it.
    public func policy(
        of subject: PolicySubject, _ newToken: (PolicyHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> PolicyHandle {
        let known = try current()
        for member in subject.members { try checkKnown(member, known) }
        return try handles.add { () throws(MAMError) in
            let handle = PolicyHandle(session: self, subject: subject.stable(known))
            handle.token = try newToken(handle)
            return handle
        }
    }

    /// `mam_policy_release`, after its token is closed and before its slot is recycled.
    public func release(_ handle: PolicyHandle) { handles.remove(handle) }

    /// A predicate that could not be answered from the words: load what changed, at most for a second.
    public func answer(_ predicate: Predicate, of handle: PolicyHandle) throws(MAMError) -> Bool {
        let snapshot = try current(within: 1000)
        return answer(predicate, of: handle.publishedSide(snapshot), snapshot)
    }

    /// `mam_policy_is_save_to_allowed` where the name has to be looked up.
    public func saveTo(_ handle: PolicyHandle, _ location: SaveLocation, _ other: AccountArgument) throws(MAMError)
        -> Decision
    {
        let snapshot = try current(within: 1000)
        try checkKnown(other, snapshot)
        return handle.side(snapshot).saveTo(location, receiver(other, of: handle.subject, snapshot))
    }

    /// `mam_policy_is_open_from_allowed` where the name has to be looked up.
    public func openFrom(_ handle: PolicyHandle, _ location: OpenLocation, _ other: AccountArgument) throws(MAMError)
        -> Decision
    {
        let snapshot = try current(within: 1000)
        try checkKnown(other, snapshot)
        return handle.side(snapshot).openFrom(location, counterpart(other, of: handle.subject, snapshot))
    }

    /// `mam_policy_save_to_locations`.
    public func saveToLocations(_ handle: PolicyHandle, _ other: AccountArgument) throws(MAMError) -> JSON {
        var members: [(key: String, value: JSON)] = []
        for location in SaveLocation.allCases {
            members.append((location.name, .bool(try saveTo(handle, location, other).allowed)))
        }
        return .object(members)
    }

    /// `mam_policy_open_from_locations`.
    public func openFromLocations(_ handle: PolicyHandle, _ other: AccountArgument) throws(MAMError) -> JSON {
        var members: [(key: String, value: JSON)] = []
        for location in OpenLocation.allCases {
            members.append((location.name, .bool(try openFrom(handle, location, other).allowed)))
        }
        return .object(members)
    }

    /// `mam_policy_can_receive_data`: a container whose label verifies counts as its owner's, anything else as unknown.
    public func receive(_ handle: PolicyHandle, bytes: UnsafeRawBufferPointer) throws(MAMError) -> Decision {
        let snapshot = try current(within: 1000)
        var owner = AccountArgument.notGiven
        if Container.isContainer(bytes) {
            let header = try Container.header(bytes)
            if let opener = try? openerAndOwner(for: header).opener, opener.verifies(bytes, header) {
                owner = try AccountArgument(bytes: header.accountId)
            }
        }
        return handle.side(snapshot).receive(from: counterpart(owner, of: handle.subject, snapshot))
    }

    /// `mam_policy_json`.
    public func json(_ handle: PolicyHandle) throws(MAMError) -> JSON {
        let snapshot = try current()
        switch handle.side(snapshot) {
        case .managed(let accountId, _, let policy): return policy.json(accountId: accountId)
        case .unmanaged:
            return [
                "accountId": .optional(handle.subject.one(snapshot)?.identity?.text), "managed": false,
                "lockDown": false, "policies": [], "settings": [], "conflicts": [], "source": .null,
            ]
        }
    }
}
