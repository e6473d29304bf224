import MAMValues

/// The page of `mamctl policy simulate --html`.
enum SimulationPage {
    /// Accounts of one change; `--json` has all.
    private static let maximumAccounts = 200

    static func text(_ reply: JSON, request: JSON, authority: String) -> String {
        var page = Page(title: "Effects of policy changes")
        page.facts("Question", question(request) + Page.origin(authority: authority))
        let actions = request["changes"].elements.enumerated().map { number, action -> [Markup] in
            [.cell("\(number + 1)"), .cell(Text.value(action["action"])), .cell(details(action))]
        }
        page.table("Changes that were tried, on a copy", ["Step", "Action", "Details"], actions)
        page.facts("Result", result(reply))
        let warnings = reply["warnings"].elements.map { Text.value($0["message"]) }
        if !warnings.isEmpty { page.heading("Warnings") }
        page.list(warnings)
        addLaunches(reply["launches"].elements, to: &page)
        for (number, change) in reply["changes"].elements.enumerated() { add(change, number + 1, to: &page) }
        return page.text
    }

    private static func question(_ request: JSON) -> [(label: String, value: Markup)] {
        func names(_ key: String, _ none: String) -> Markup {
            let names = request[key].elements.compactMap(\.string)
            return .cell(names.isEmpty ? none : names.joined(separator: ", "))
        }
        let requests = request["requests"]
        let asked = requests == .null ? "every predicate, every location and the clipboard" : requests.text
        return [
            ("Asked for", .cell("The effects of the changes below, and the accounts they affect")),
            ("Users", names("users", "all that the authority knows")),
            ("Apps", names("apps", "all that the authority knows")), ("Decisions", .cell(asked)),
            ("Device lock", .cell(request["deviceLock"].string ?? "unknown")),
            ("Launches", .cell(request["launch"] == .null ? "not simulated" : request["launch"].text)),
        ]
    }

    /// The arguments of an action; documents by their names.
    private static func details(_ action: JSON) -> String {
        action.members.filter { $0.key != "action" }.map { key, value in
            key == "document" ? documents(value) : "\(Text.words(key)) \(Text.value(value))"
        }.joined(separator: ", ")
    }

    private static func documents(_ document: JSON) -> String {
        let all = document.array ?? document["value"].array ?? [document]
        return all.map(Page.policy).joined(separator: ", ")
    }

    private static func result(_ reply: JSON) -> [(label: String, value: Markup)] {
        let (compared, counts) = (reply["compared"], reply["counts"])
        let decisions = counts["decisions"]
        return [
            ("Verdict", .cell(Text.value(reply["verdict"]))),
            ("Compared", .cell("users: \(compared["users"].text), apps: \(compared["apps"].text)")),
            ("Begin to be under policy", .cell(Text.value(counts["gains"]))),
            ("Cease to be under policy", .cell(Text.value(counts["loses"]))),
            ("Check-ins refused from then on", .cell(Text.value(counts["refused"]))),
            ("Other accounts that change", .cell(Text.value(counts["changes"]))),
            (
                "Decisions",
                .cell(
                    "stricter: \(decisions["stricter"].text), looser: \(decisions["looser"].text), "
                        + "for another reason: \(decisions["reason"].text)")
            ),
        ]
    }

    private static func accounts(_ list: JSON) -> String {
        let names = list.elements.map { "\(Text.value($0["upn"])) in \(Text.value($0["app"]))" }
        return SimulationReport.list(names, maximum: maximumAccounts)
    }

    private static func addLaunches(_ launches: [JSON], to page: inout Page) {
        guard !launches.isEmpty else { return }
        page.heading("Launches")
        let rows = launches.map { row -> [Markup] in
            [
                .cell(accounts(row["accounts"])), .cell(row["before"]["outcome"].string ?? "unknown user"),
                .cell(row["after"]["outcome"].string ?? "unknown user"),
                .cell(Text.value(row["after"]["outcomeWhenAnswered"])),
                .cell(row["after"]["asks"].elements.compactMap { $0["question"].string }.joined(separator: ", ")),
            ]
        }
        page.table("Outcomes", ["Accounts", "Before", "After", "After, if answered", "Questions"], rows)
        let findings = launches.flatMap { row in row["after"]["findings"].elements.map { (row, $0) } }
        page.table(
            "Findings after the changes",
            ["Accounts", "Action", "Check", "Setting", "Policy", "Reason", "Message for the user"],
            findings.map { row, finding -> [Markup] in
                [
                    .cell(accounts(row["accounts"])), .cell(Text.value(finding["action"])),
                    .cell(Text.value(finding["check"])), .cell(Text.value(finding["setting"])),
                    .cell(Page.policy(finding)), .cell(Text.value(finding["message"])),
                    Page.userMessage(finding["userMessage"].string),
                ]
            })
    }

    private static func add(_ change: JSON, _ number: Int, to page: inout Page) {
        page.heading("Change \(number): \(Text.value(change["message"]))")
        page.paragraph("Accounts: \(accounts(change["accounts"]))")
        page.list(change["launch"].elements.map { "Launches: \(Text.value($0["message"]))" })
        let settings = change["settings"].elements.map { setting -> [Markup] in
            [
                .cell(Text.value(setting["setting"])), .cell(Text.value(setting["change"])),
                .cell(Text.setting(setting["before"])), .cell(Text.setting(setting["after"])),
            ]
        }
        page.table("Settings that change: \(settings.count)", ["Setting", "Change", "Before", "After"], settings)
        let decisions = change["decisions"].elements.map { decision -> [Markup] in
            let after = decision["after"]
            // A decision that gets looser has its reason before the change.
            let reason = after["reason"] == .null ? decision["before"]["reason"] : after["reason"]
            return [
                .cell(SimulationReport.request(decision["request"])), .cell(Text.value(decision["change"])),
                .cell(decision["before"].decision), .cell(after.decision), .cell(Text.value(reason["setting"])),
                .cell(Page.policy(reason)), .cell(Text.value(decision["message"])),
                Page.userMessage(after["reason"]["userMessage"].string),
            ]
        }
        page.table(
            "Decisions that change: \(decisions.count)",
            ["Action", "Change", "Before", "After", "Setting", "Policy", "Reason", "Message for the user"], decisions)
    }
}
