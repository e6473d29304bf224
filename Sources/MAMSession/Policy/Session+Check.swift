import MAMPolicy
import MAMSupport

extension Session {
    private static let maximumRequests = 1000

    /// `mam_policy_check`: one request, or an array of them.
    public func check(_ request: JSON) throws(MAMError) -> JSON {
        let snapshot = try current()
        guard let requests = request.array else { return try check(request, snapshot) }
        guard requests.count <= Session.maximumRequests else {
            throw .argument(
                "request_json", "holds \(requests.count) requests; at most \(Session.maximumRequests) are taken")
        }
        var replies: [JSON] = []
        replies.reserveCapacity(requests.count)
        for request in requests { replies.append(try check(request, snapshot)) }
        return .array(replies)
    }

    private func check(_ request: JSON, _ snapshot: Snapshot) throws(MAMError) -> JSON {
        var reader = try ObjectReader(request, "request")
        let action = try reader.requiredString("action")
        guard let account = reader.take("account") else {
            throw reader.error("account", "is missing; null and \"\" are values too")
        }
        let own = try Session.account(account, "account")
        try checkKnown(own, snapshot)
        let side = side(of: own, snapshot)
        let (decision, isRequirement) = try decide(action, side, own, &reader, snapshot)
        try reader.end()
        return decision.json(isRequirement: isRequirement)
    }

    private func decide(
        _ action: String, _ side: Party, _ own: AccountArgument, _ reader: inout ObjectReader, _ snapshot: Snapshot
    ) throws(MAMError) -> (Decision, Bool) {
        switch action {
        case "saveTo":
            let location = try Session.location(&reader, SaveLocation.allCases) { $0.name }
            return (side.saveTo(location, try other("locationAccount", own, &reader, snapshot)), false)
        case "openFrom":
            let location = try Session.location(&reader, OpenLocation.allCases) { $0.name }
            return (side.openFrom(location, try other("locationAccount", own, &reader, snapshot)), false)
        case "receive":
            return (side.receive(from: try other("sender", own, &reader, snapshot)), false)
        case "documentPicker":
            let mode = try reader.requiredString("mode")
            guard let picker = PickerMode.allCases.first(where: { $0.name == mode }) else {
                throw .argument("request.mode", "is \"\(mode)\"; it must be import, open, export or move")
            }
            return (side.decide(picker.predicate, device: deviceFacts), false)
        default:
            guard
                let predicate = Predicate.allCases.first(where: { $0.action == action && $0.action != "documentPicker" }
                )
            else {
                throw .argument("request.action", "\"\(action)\" is no action that libmam decides; mam.h lists them")
            }
            return (side.decide(predicate, device: deviceFacts), predicate.isRequirement)
        }
    }

    private func other(
        _ key: String, _ own: AccountArgument, _ reader: inout ObjectReader, _ snapshot: Snapshot
    ) throws(MAMError) -> Counterpart {
        let argument = try Session.account(reader.take(key) ?? .null, key)
        try checkKnown(argument, snapshot)
        return counterpart(argument, of: own, snapshot)
    }

    private static func account(_ json: JSON, _ key: String) throws(MAMError) -> AccountArgument {
        if json.isNull { return .notGiven }
        guard let text = json.string else {
            throw MAMError(
                .json, "request.\(key) is a JSON \(json.typeName); it must be a string or null",
                [("setting", .string(key))])
        }
        return try AccountArgument(text, argument: "request.\(key)")
    }

    private static func location<L>(_ reader: inout ObjectReader, _ all: [L], _ name: (L) -> String) throws(MAMError)
        -> L
    {
        let text = try reader.requiredString("location")
        guard let location = all.first(where: { name($0) == text }) else {
            throw .argument("request.location", "\"\(text)\" is none of \(all.map(name).joined(separator: ", "))")
        }
        return location
    }
}
