import MAMValues

/// Events as text: time, app, account, event, a sentence and its details. For programs in columns that are aligned while events come
/// one by one; on a terminal, whose width they exceed, the sentence and the details are below the rest.
struct EventLines {
    private let app: String
    private var accountWidth = 24
    /// The longest name of an event: allowedAccountsDidChange.
    private static let eventWidth = 24
    private static let indent = "    "
    /// Members that have a column, repeat the sentence, or contain whole objects.
    private static let hidden: Set<String> = [
        "event", "time", "accountId", "upn", "identity", "status", "userMessage", "messageKey", "message",
        "blockReason",
    ]

    init(app: String) { self.app = app }

    /// One line, for programs.
    mutating func line(_ event: JSON) -> StyledLine {
        let (account, details) = (EventLines.account(of: event), EventLines.details(of: event))
        accountWidth = max(accountWidth, account.count)
        let words = EventLines.sentence(of: event) + (details.isEmpty ? "" : " (\(details))")
        let columns = [
            EventLines.time(of: event), app, Text.pad(account, to: accountWidth), EventLines.name(of: event), words,
        ]
        return StyledLine(columns.joined(separator: "  "), EventLines.style(of: event))
    }

    /// Several lines, for a terminal of `width` columns. They do not repeat the app.
    func lines(_ event: JSON, width: Int) -> [StyledLine] {
        let start = "\(EventLines.time(of: event))  \(EventLines.name(of: event))"
        let account = EventLines.account(of: event)
        let fits = start.count + 2 + account.count <= width
        let below = (fits ? [] : [account]) + [EventLines.sentence(of: event), EventLines.details(of: event)]
        let lines = below.flatMap { Text.wrapped($0, to: width - EventLines.indent.count) }
        return [StyledLine(fits ? "\(start)  \(account)" : start, EventLines.style(of: event))]
            + lines.map { StyledLine(EventLines.indent + $0) }
    }

    /// To the second.
    private static func time(of event: JSON) -> String {
        let time = Text.value(event["time"])
        return time.contains(".") && time.hasSuffix("Z") ? "\(time.prefix { $0 != "." })Z" : time
    }

    private static func account(of event: JSON) -> String {
        let (upn, id) = (event["upn"].string, event["accountId"].string)
        return Text.clean(upn ?? event["status"]["identity"].string ?? id ?? "-")
    }

    private static func name(of event: JSON) -> String {
        Text.pad(Text.clean(Text.value(event["event"])), to: eventWidth)
    }

    /// A warning's sentence is the administrator's, because its message for the user only says to ask one.
    private static func sentence(of event: JSON) -> String {
        let isWarning = event["event"] == .string("warning")
        return Text.clean((isWarning ? event["message"] : event["userMessage"]).string ?? "")
    }

    private static func details(of event: JSON) -> String {
        let status = event["status"]
        let code = status == .null ? [] : ["\(status["code"].text) \(Text.value(status["name"]))"]
        let more = details(event.members.filter { !hidden.contains($0.key) })
        return Text.clean((code + more).joined(separator: ", "))
    }

    /// Members in words; of lists of objects their number.
    private static func details(_ members: [JSON.Member], of outer: String = "") -> [String] {
        members.flatMap { key, value -> [String] in
            let words = outer + Text.words(key)
            switch value {
            case .null, .array([]): return []
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
