import MAMValues

/// The page of `mamctl policy simulate --html`.
enum SimulationPage {
    /// Accounts of one change; `--json` has all.
    private static let maximumAccounts = 200

    static func text(_ reply: JSON, request: JSON, authority: String) -> String {
        var page = Page(title: "Effects of policy changes")
        page.facts("Question", question(request) + Page.origin(authority: authority))
        let actions = request["changes"].elements.enumerated().map { number, action -> [Markup] in
            [Markup("\(number + 1)"), Markup(Text.value(action["action"])), Markup(details(action))]
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
            return Markup(names.isEmpty ? none : names.joined(separator: ", "))
        }
        let requests = request["requests"]
        let asked = requests == .null ? "every predicate, every location and the clipboard" : requests.text
        return [
            ("Asked for", Markup("The effects of the changes below, and the accounts they affect")),
            ("Users", names("users", "all that the authority knows")),
            ("Apps", names("apps", "all that the authority knows")), ("Decisions", Markup(asked)),
            ("Device lock", Markup(request["deviceLock"].string ?? "unknown")),
            ("Launches", Markup(request["launch"] == .null ? "not simulated" : request["launch"].text)),
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
            ("Verdict", Markup(Text.value(reply["verdict"]))),
            ("Compared", Markup("users: \(compared["users"].text), apps: \(compared["apps"].text)")),
            ("Begin to be under policy", Markup(Text.value(counts["gains"]))),
            ("Cease to be under policy", Markup(Text.value(counts["loses"]))),
            ("Check-ins refused from then on", Markup(Text.value(counts["refused"]))),
            ("Other accounts that change", Markup(Text.value(counts["changes"]))),
            (
                "Decisions",
                Markup(
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
                Markup(accounts(row["accounts"])), Markup(row["before"]["outcome"].string ?? "unknown user"),
                Markup(row["after"]["outcome"].string ?? "unknown user"),
                Markup(Text.value(row["after"]["outcomeWhenAnswered"])),
                Markup(row["after"]["asks"].elements.compactMap { $0["question"].string }.joined(separator: ", ")),
            ]
        }
        page.table("Outcomes", ["Accounts", "Before", "After", "After, if answered", "Questions"], rows)
        let findings = launches.flatMap { row in row["after"]["findings"].elements.map { (row, $0) } }
        page.table(
            "Findings after the changes",
            ["Accounts", "Action", "Check", "Setting", "Policy", "Reason", "Message for the user"],
            findings.map { row, finding -> [Markup] in
                [
                    Markup(accounts(row["accounts"])), Markup(Text.value(finding["action"])),
                    Markup(Text.value(finding["check"])), Markup(Text.value(finding["setting"])),
                    Markup(Page.policy(finding)), Markup(Text.value(finding["message"])),
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
                Markup(Text.value(setting["setting"])), Markup(Text.value(setting["change"])),
                Markup(Text.setting(setting["before"])), Markup(Text.setting(setting["after"])),
            ]
        }
        page.table("Settings that change: \(settings.count)", ["Setting", "Change", "Before", "After"], settings)
        let decisions = change["decisions"].elements.map { decision -> [Markup] in
            let after = decision["after"]
            // A decision that gets looser has its reason before the change.
            let reason = after["reason"] == .null ? decision["before"]["reason"] : after["reason"]
            return [
                Markup(SimulationReport.request(decision["request"])), Markup(Text.value(decision["change"])),
                Markup(decision["before"].decision), Markup(after.decision), Markup(Text.value(reason["setting"])),
                Markup(Page.policy(reason)), Markup(Text.value(decision["message"])),
                Page.userMessage(after["reason"]["userMessage"].string),
            ]
        }
        page.table(
            "Decisions that change: \(decisions.count)",
            ["Action", "Change", "Before", "After", "Setting", "Policy", "Reason", "Message for the user"], decisions)
    }
}
