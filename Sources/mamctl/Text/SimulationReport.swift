/// A reply of mam_policy_simulate on a screen: whom it is about, and in a few lines what becomes of them.
enum SimulationReport {
    static let mostNames = 4
    private static let mostRows = 10

    static func lines(_ reply: JSON) -> [String] {
        let compared = reply["compared"]
        let changes = reply["changes"].elements
        var lines = reply["warnings"].elements.map { "warning: \(Text.value($0["message"]))" }
        let scope = "\(count(compared["users"], "user")) in \(count(compared["apps"], "app"))"
        lines += LaunchConsequences.lines(ofLaunches: reply["launches"])
        if compared["apps"] == .number("0") {
            return lines + [
                "no app is looked at, so nothing can be said: apps are known once an account has enrolled in them, or a "
                    + "policy or --only-app names them"
            ]
        }
        guard !changes.isEmpty else { return lines + ["nothing changes (\(scope))"] }
        let counts = reply["counts"]
        let effects = [
            ("gains", "gain a policy"), ("loses", "lose theirs"), ("refused", "are refused"), ("changes", "change"),
        ]
        let told = effects.compactMap { key, words -> String? in
            counts[key] == .number("0") ? nil : "\(Text.value(counts[key])) \(words)"
        }
        lines.append("\(Text.value(reply["verdict"])) (\(scope)): \(told.joined(separator: ", "))")
        for change in changes { lines += [""] + self.lines(of: change) }
        return lines
    }

    /// Whether anything may be done that was not allowed before.
    static func isLooser(_ reply: JSON) -> Bool {
        reply["changes"].elements.contains { change in
            (change["settings"].elements + change["decisions"].elements).contains { $0["change"] == .string("looser") }
        }
    }

    private static func lines(of change: JSON) -> [String] {
        let names = change["accounts"].elements.map { "\(Text.value($0["upn"])) in \(Text.value($0["app"]))" }
        var lines = ["\(list(names, most: mostNames)): \(Text.value(change["message"]))"]
        lines += LaunchConsequences.lines(change["launch"], mostBlocks: 1).map { "  " + $0 }
        let rows = change["settings"].elements.map { setting in
            [
                "  " + Text.value(setting["change"]), Text.value(setting["setting"]),
                Text.cut(Text.setting(setting["before"]), to: 24), Text.cut(Text.setting(setting["after"]), to: 24),
            ]
        }
        if !rows.isEmpty {
            lines += Table(titles: ["  ", "setting", "before", "after"], rows: Array(rows.prefix(mostRows))).lines
            if rows.count > mostRows { lines.append("  and \(rows.count - mostRows) more; --json has all") }
        }
        for (title, isMeant) in fates {
            let asked = change["decisions"].elements.filter(isMeant).map { request($0["request"]) }
            if !asked.isEmpty { lines.append("  \(title): \(list(asked, most: 8))") }
        }
        return lines
    }

    private static let fates: [(String, @Sendable (JSON) -> Bool)] = [
        ("refused now", { $0["change"] == .string("stricter") && $0["after"]["required"] == .null }),
        ("required now", { $0["change"] == .string("stricter") && $0["after"]["required"] != .null }),
        ("allowed now", { $0["change"] == .string("looser") && $0["after"]["required"] == .null }),
        ("not required any more", { $0["change"] == .string("looser") && $0["after"]["required"] != .null }),
        ("for another reason", { $0["change"] == .string("reason") }),
    ]

    /// A request in words; "*" is the same account.
    private static func request(_ request: JSON) -> String {
        let other = request["locationAccount"].string ?? request["sender"].string ?? request["receiver"].string
        let whose = other.map { $0 == "*" ? " (own)" : $0.isEmpty ? "" : " (\($0))" } ?? ""
        let isPaste = request.members.contains { $0.key == "sender" }
        let way = request["action"] == .string("clipboard") ? isPaste ? "in" : "out" : nil
        let place = request["location"].string ?? request["mode"].string ?? way
        return Text.value(request["action"]) + (place.map { " \($0)" } ?? "") + whose
    }

    private static func count(_ number: JSON, _ noun: String) -> String {
        "\(Text.value(number)) \(noun)\(number == .number("1") ? "" : "s")"
    }

    static func list(_ names: [String], most: Int) -> String {
        let shown = names.prefix(most).joined(separator: ", ")
        return names.count > most ? "\(shown) and \(names.count - most) more" : shown
    }
}
