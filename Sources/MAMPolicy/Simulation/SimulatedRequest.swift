import MAMSupport

/// A request of `mam_policy_check` that a simulation evaluates for each user.
public struct SimulatedRequest: Sendable {
    /// The account that owns the location, or that sends or receives.
    public enum Other: Sendable {
        case unknown
        /// The user that the request is evaluated for: "*".
        case sameAccount
        case named(Identity)
    }

    /// The request as it was given.
    public let json: JSON
    /// The action.
    public let action: CheckRequest.Action
    /// The account on the other side.
    public let other: Other

    /// Parses a request, which names no account of its own.
    public init(_ json: JSON) throws(MAMError) {
        let request = try CheckRequest(forEachAccount: json)
        self.json = json
        action = request.action
        switch request.other {
        case nil, "": other = .unknown
        case "*": other = .sameAccount
        case let name?: other = .named(try Identity(account: name, argument: "request.locationAccount"))
        }
    }

    private init(_ action: CheckRequest.Action, _ other: Other, _ members: [(key: String, value: JSON)]) {
        self.action = action
        self.other = other
        json = .object(members)
    }

    /// The default requests: each predicate, receiving, each location (without an account and, if it can have one, with the
    /// user's own), and the clipboard in both directions.
    public static let all: [SimulatedRequest] =
        Predicate.allCases.map { predicate in
            let mode = predicate.mode.map { [(key: "mode", value: JSON.string($0.name))] } ?? []
            return SimulatedRequest(
                .predicate(predicate), .unknown, [("action", .string(predicate.action))] + mode)
        }
        + SaveLocation.allCases.flatMap { both("saveTo", $0.name, .saveTo($0), hasNoAccount: $0.hasNoAccount) }
        + OpenLocation.allCases.flatMap { both("openFrom", $0.name, .openFrom($0), hasNoAccount: $0.hasNoAccount) }
        + [SimulatedRequest(.receive, .unknown, [("action", "receive")])]
        + [("receiver", .copy(longText)), ("sender", .paste(longText))].map { side, action in
            SimulatedRequest(
                action, .unknown,
                [("action", "clipboard"), (side, .null), ("length", .integer(Int64(longText)))])
        }

    /// More characters than any exception allows.
    private static let longText = 65_536

    private static func both(
        _ name: String, _ location: String, _ action: CheckRequest.Action, hasNoAccount: Bool
    ) -> [SimulatedRequest] {
        let members: [(key: String, value: JSON)] = [("action", .string(name)), ("location", .string(location))]
        let unowned = SimulatedRequest(action, .unknown, members)
        let own = SimulatedRequest(action, .sameAccount, members + [("locationAccount", "*")])
        return hasNoAccount ? [unowned] : [unowned, own]
    }

    /// The request in words: "saveTo localDrive".
    var words: String {
        ["action", "mode", "location", "locationAccount", "sender", "receiver", "url"].compactMap { key in
            guard let text = json[key]?.string, !text.isEmpty else {
                return json["action"] == "clipboard" && json[key] != nil
                    ? key == "sender" ? "from outside" : "to outside" : nil
            }
            switch (key, text) {
            case ("locationAccount", "*"): return "of the same account"
            case ("locationAccount", _): return "of \(text)"
            case ("sender", "*"): return "from the same account"
            case ("sender", _): return "from \(text)"
            case ("receiver", "*"): return "to the same account"
            case ("receiver", _): return "to \(text)"
            default: return text
            }
        }.joined(separator: " ")
    }
}
