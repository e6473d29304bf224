import MAMValues

/// A reply of mam_policy_simulate as lines: the accounts, and a summary of their changes.
enum SimulationReport {
    static let maximumNames = 4
    private static let maximumRows = 10

    static func lines(_ reply: JSON) -> [String] {
        let compared = reply["compared"]
        let changes = reply["changes"].elements
        var lines = reply["warnings"].elements.map { "warning: \(Text.value($0["message"]))" }
        let scope = "\(count(compared["users"], "user")) in \(count(compared["apps"], "app"))"
        lines += LaunchChangeReport.lines(ofLaunches: reply["launches"])
        if compared["apps"] == .integer(0) {
            return lines + [
                "no app is known here, so nothing can be said: name one with --only-app, or in a policy; an app that enrolls is "
                    + "known where it may write the authority, or with a service"
            ]
        }
        guard !changes.isEmpty else { return lines + ["nothing changes (\(scope))"] }
        let counts = reply["counts"]
        let effects = [
            ("gains", "gain a policy"), ("loses", "lose theirs"), ("refused", "are refused"), ("changes", "change"),
        ]
        let effectCounts = effects.compactMap { key, words -> String? in
            counts[key] == .integer(0) ? nil : "\(Text.value(counts[key])) \(words)"
        }
        lines.append("\(Text.value(reply["verdict"])) (\(scope)): \(effectCounts.joined(separator: ", "))")
        for change in changes { lines += [""] + self.lines(of: change) }
        return lines
    }

    /// Whether a setting or decision becomes looser, or no app was looked at.
    static func needsAttention(_ reply: JSON) -> Bool {
        if reply["compared"]["apps"] == .integer(0) { return true }
        return reply["changes"].elements.contains { change in
            (change["settings"].elements + change["decisions"].elements).contains { $0["change"] == .string("looser") }
        }
    }

    private static func lines(of change: JSON) -> [String] {
        let names = change["accounts"].elements.map { "\(Text.value($0["upn"])) in \(Text.value($0["app"]))" }
        var lines = ["\(list(names, maximum: maximumNames)): \(Text.value(change["message"]))"]
        lines += LaunchChangeReport.lines(change["launch"], maximumBlocks: 1).map { "  " + $0 }
        let rows = change["settings"].elements.map { setting in
            [
                "  " + Text.value(setting["change"]), Text.value(setting["setting"]),
                Text.cut(Text.setting(setting["before"]), to: 24), Text.cut(Text.setting(setting["after"]), to: 24),
            ]
        }
        if !rows.isEmpty {
            lines += Table(titles: ["  ", "setting", "before", "after"], rows: Array(rows.prefix(maximumRows))).lines
            if rows.count > maximumRows { lines.append("  and \(rows.count - maximumRows) more; --json has all") }
        }
        for (title, matches) in outcomes {
            let asked = change["decisions"].elements.filter(matches).map { request($0["request"]) }
            if !asked.isEmpty { lines.append("  \(title): \(list(asked, maximum: 8))") }
        }
        return lines
    }

    private static let outcomes: [(String, @Sendable (JSON) -> Bool)] = [
        ("refused now", { $0["change"] == .string("stricter") && $0["after"]["required"] == .null }),
        ("required now", { $0["change"] == .string("stricter") && $0["after"]["required"] != .null }),
        ("allowed now", { $0["change"] == .string("looser") && $0["after"]["required"] == .null }),
        ("not required any more", { $0["change"] == .string("looser") && $0["after"]["required"] != .null }),
        ("for another reason", { $0["change"] == .string("reason") }),
    ]

    /// A request in words; "*" is the same account.
    static func request(_ request: JSON) -> String {
        let other = request["locationAccount"].string ?? request["sender"].string ?? request["receiver"].string
        let account = other.map { $0 == "*" ? " (own)" : $0.isEmpty ? "" : " (\($0))" } ?? ""
        let isPaste = request.members.contains { $0.key == "sender" }
        let direction = request["action"] == .string("clipboard") ? isPaste ? "in" : "out" : nil
        let detail = request["location"].string ?? request["mode"].string ?? direction
        return Text.value(request["action"]) + (detail.map { " \($0)" } ?? "") + account
    }

    private static func count(_ number: JSON, _ noun: String) -> String {
        "\(Text.value(number)) \(noun)\(number == .integer(1) ? "" : "s")"
    }

    static func list(_ names: [String], maximum: Int) -> String {
        let shown = names.prefix(maximum).joined(separator: ", ")
        return names.count > maximum ? "\(shown) and \(names.count - maximum) more" : shown
    }
}
