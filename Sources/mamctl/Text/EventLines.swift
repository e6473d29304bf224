import MAMValues

/// Events as lines: time, app, account, event, a sentence and its details, in columns that are aligned while events come one by one.
struct EventLines {
    private let app: String
    private var accountWidth = 24
    /// The longest name of an event: allowedAccountsDidChange.
    private static let eventWidth = 24
    /// Members that have a column, repeat the sentence, or contain whole objects.
    private static let hidden: Set<String> = [
        "event", "time", "accountId", "upn", "identity", "status", "userMessage", "messageKey", "message",
        "blockReason",
    ]

    init(app: String) { self.app = app }

    mutating func line(_ event: JSON) -> StyledLine {
        let account = Text.clean(EventLines.account(of: event))
        accountWidth = max(accountWidth, account.count)
        let columns = [
            EventLines.time(of: event), app, Text.pad(account, to: accountWidth),
            Text.pad(Text.clean(Text.value(event["event"])), to: EventLines.eventWidth), EventLines.sentence(of: event),
        ]
        return StyledLine(columns.joined(separator: "  "), EventLines.style(of: event))
    }

    /// To the second.
    private static func time(of event: JSON) -> String {
        let time = Text.value(event["time"])
        return time.contains(".") && time.hasSuffix("Z") ? "\(time.prefix { $0 != "." })Z" : time
    }

    private static func account(of event: JSON) -> String {
        let (upn, id) = (event["upn"].string, event["accountId"].string)
        return upn ?? event["status"]["identity"].string ?? id ?? "-"
    }

    /// A warning's sentence is the administrator's, because its message for the user only says to ask one.
    private static func sentence(of event: JSON) -> String {
        let isWarning = event["event"] == .string("warning")
        let words = (isWarning ? event["message"] : event["userMessage"]).string ?? ""
        let status = event["status"]
        let code = status == .null ? [] : ["\(status["code"].text) \(Text.value(status["name"]))"]
        let more = code + details(event.members.filter { !hidden.contains($0.key) })
        return more.isEmpty ? words : "\(words) (\(more.joined(separator: ", ")))"
    }

    /// Members in words; of lists of objects their number.
    private static func details(_ members: [JSON.Member], of outer: String = "") -> [String] {
        members.flatMap { key, value -> [String] in
            let words = outer + Text.words(key)
            switch value {
            case .null: return []
            case .object(let inner): return details(inner, of: "\(words) ")
            case .array(let elements) where !elements.allSatisfy(\.isScalar): return ["\(words) \(elements.count)"]
            default: return ["\(words) \(Text.value(value))"]
            }
        }
    }

    private static func style(of event: JSON) -> StyledLine.Style {
        if let succeeded = event["status"]["didSucceed"].bool { return succeeded ? .good : .bad }
        switch event["event"].string {
        case "question": return .title
        case "warning", "eventsLost", "wipeProgress", "wipeDidComplete": return .bad
        case "accountBlocked": return event["reason"] == .string("notBlocked") ? .good : .bad
        default: return .plain
        }
    }
}
