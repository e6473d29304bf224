import MAMPolicy
import MAMSupport

/// Questions about what a policy allows.
extension Policies {
    private static let maximumRequests = 1000

    /// `mam_policy_check`: one request, or an array of them. The result is the reply's JSON text.
    public func check(_ request: JSON) throws(MAMError) -> [UInt8] {
        let snapshot = try current()
        guard let requests = request.array else {
            return try snapshot.reply(to: try CheckRequest(request), in: settings.language)
        }
        guard requests.count <= Policies.maximumRequests else {
            throw .argument(
                "request_json", "holds \(requests.count) requests; at most \(Policies.maximumRequests) are taken")
        }
        var replies: [UInt8] = [UInt8(ascii: "[")]
        for request in requests {
            if replies.count > 1 { replies.append(UInt8(ascii: ",")) }
            replies += try snapshot.reply(to: try CheckRequest(request), in: settings.language)
        }
        replies.append(UInt8(ascii: "]"))
        return replies
    }

    /// `mam_policy_decide`: one request.
    public func decide(_ request: JSON) throws(MAMError) -> JSON {
        try JSON(parsing: try current().reply(to: try CheckRequest(request), in: settings.language))
    }

    /// The answer to a predicate that the shared words do not give: load changes, within a second.
    public func answer(_ predicate: Predicate, of handle: PolicyHandle) throws(MAMError) -> Bool {
        try decide(predicate, of: handle).allowed != predicate.isRequirement
    }

    /// `mam_policy_reason`: the answer of a predicate and its reason, from one snapshot.
    public func decide(_ predicate: Predicate, of handle: PolicyHandle) throws(MAMError) -> Decision {
        let snapshot = try current(within: 1000)
        return snapshot.decide(.predicate(predicate), handle.storedPolicy(in: snapshot).policy, .unknown)
    }

    /// `mam_policy_is_save_to_allowed` where the name has to be looked up.
    public func saveTo(_ handle: PolicyHandle, _ location: SaveLocation, _ other: AccountArgument) throws(MAMError)
        -> Decision
    {
        let snapshot = try current(within: 1000)
        try snapshot.checkKnown(other)
        return handle.accountPolicy(in: snapshot).saveTo(location, snapshot.receiver(other, of: handle.subject))
    }

    /// `mam_policy_is_open_from_allowed` where the name has to be looked up.
    public func openFrom(_ handle: PolicyHandle, _ location: OpenLocation, _ other: AccountArgument) throws(MAMError)
        -> Decision
    {
        let snapshot = try current(within: 1000)
        try snapshot.checkKnown(other)
        return handle.accountPolicy(in: snapshot).openFrom(location, snapshot.peer(other, of: handle.subject))
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
        let owner = try labels.verifiedOwner(of: bytes)
        return handle.accountPolicy(in: snapshot).receive(from: snapshot.peer(owner, of: handle.subject))
    }

    /// `mam_policy_json`.
    public func json(_ handle: PolicyHandle) throws(MAMError) -> JSON {
        let snapshot = try current()
        switch handle.accountPolicy(in: snapshot) {
        case .managed(let accountId, _, let policy):
            // A name that has left, or is unknown, is refused and not managed.
            let isRefused = handle.subject.names.contains { snapshot.refusalToRelease($0) != nil }
            return policy.json(accountId: accountId, isManaged: isRefused ? false : nil)
        case .unmanaged:
            return [
                "accountId": .optional(handle.subject.one(snapshot)?.identity?.text), "managed": false,
                "lockDown": false, "policies": [], "settings": [], "conflicts": [], "source": .null,
            ]
        }
    }
}
