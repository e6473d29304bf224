import MAMSupport

/// A request of `mam_policy_check` that a rehearsal asks about one user after the other.
public struct RehearsedRequest: Sendable {
    /// Whose the location is, or who sends.
    public enum Other: Sendable {
        case unknown
        /// The user who is asked about: "*".
        case sameAccount
        case named(Identity)
    }

    /// As it was given.
    public let json: JSON
    /// What is asked.
    public let question: CheckRequest.Question
    /// The other side.
    public let other: Other

    /// Read a request, which names no account of its own.
    public init(_ json: JSON) throws(MAMError) {
        let request = try CheckRequest(forEachAccount: json)
        self.json = json
        question = request.question
        switch request.other {
        case nil, "": other = .unknown
        case "*": other = .sameAccount
        case let name?: other = .named(try Identity(name, argument: "request.locationAccount"))
        }
    }

    private init(_ question: CheckRequest.Question, _ other: Other, _ members: [(key: String, value: JSON)]) {
        self.question = question
        self.other = other
        json = .object(members)
    }

    /// Each predicate, receiving, each location (once nobody's, and once the user's own where it can be somebody's), and
    /// the clipboard in both directions.
    public static let all: [RehearsedRequest] =
        Predicate.allCases.map { predicate in
            let mode = predicate.mode.map { [(key: "mode", value: JSON.string($0.name))] } ?? []
            return RehearsedRequest(
                .predicate(predicate), .unknown, [("action", .string(predicate.action))] + mode)
        }
        + SaveLocation.allCases.flatMap { both("saveTo", $0.name, .saveTo($0), hasNoAccount: $0.hasNoAccount) }
        + OpenLocation.allCases.flatMap { both("openFrom", $0.name, .openFrom($0), hasNoAccount: $0.hasNoAccount) }
        + [RehearsedRequest(.receive, .unknown, [("action", "receive")])]
        + [("receiver", .copy(longText)), ("sender", .paste(longText))].map { side, question in
            RehearsedRequest(
                question, .unknown,
                [("action", "clipboard"), (side, .null), ("length", .integer(Int64(longText)))])
        }

    /// More characters than any exception lets through.
    private static let longText = 65_536

    private static func both(
        _ action: String, _ location: String, _ question: CheckRequest.Question, hasNoAccount: Bool
    ) -> [RehearsedRequest] {
        let members: [(key: String, value: JSON)] = [("action", .string(action)), ("location", .string(location))]
        let nobodys = RehearsedRequest(question, .unknown, members)
        let own = RehearsedRequest(question, .sameAccount, members + [("locationAccount", "*")])
        return hasNoAccount ? [nobodys] : [nobodys, own]
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
