import MAMValues

/// The page of `mamctl policy explain --html`.
enum ExplanationPage {
    /// Messages of one setting; the table of decisions has all.
    private static let maximumMessages = 2

    static func text(_ explanation: JSON, authority: String) -> String {
        let (user, checkIn) = (explanation["user"], explanation["checkIn"])
        let (name, app) = (Text.value(user["upn"]), Text.value(explanation["app"]))
        let isKnown = explanation["appKnown"] == .bool(true)
        var page = Page(title: "Policy for \(name) in \(app)")
        page.facts(
            "Question",
            [
                ("Asked for", .cell("The policy that the user's next check-in brings, and the reasons")),
                ("User", .cell(name)), ("Account id", .cell(Text.value(user["accountId"]))),
                ("Tenant", .cell(Text.value(user["tenantId"]))),
                ("App", .cell(app + (isKnown ? "" : ", which the authority does not know"))),
            ] + Page.origin(authority: authority))
        page.facts(
            "Result of the check-in",
            [
                ("Result", .cell("\(Text.value(checkIn["message"])) (\(status(checkIn)))")),
                ("Message for the user", Page.userMessage(checkIn["userMessage"].string)),
                ("User disabled", .cell(Text.value(checkIn["disabled"]))),
                ("Policies in force", .cell(names(explanation["effective"]["policies"].elements))),
            ])
        addSettings(explanation, to: &page)
        addDecisions(explanation["decisions"].elements, to: &page)
        addDocuments(explanation, to: &page)
        return page.text
    }

    private static func status(_ checkIn: JSON) -> String { "\(Text.value(checkIn["name"])), \(checkIn["code"].text)" }

    private static func names(_ policies: [JSON]) -> String {
        policies.isEmpty ? "none" : policies.map(Page.policy).joined(separator: ", ")
    }

    private static func addSettings(_ explanation: JSON, to page: inout Page) {
        let settings = explanation["effective"]["settings"].elements
        page.heading("Settings")
        guard !settings.isEmpty else { return page.paragraph("No policy sets anything for the user in this app.") }
        let (disagreements, decisions) = (explanation["disagreements"].elements, explanation["decisions"].elements)
        let rows = settings.map { setting -> [Markup] in
            let name = setting["setting"]
            let disagreement = disagreements.first { $0["setting"] == name }
            return [
                .cell(Text.value(name)), .cell(Text.setting(setting["value"])), .cell(Page.policy(setting)),
                .cell(reason(setting, disagreement)), messages(decisions.filter { $0["reason"]["setting"] == name }),
            ]
        }
        let titles = ["Setting", "Value", "Decided by", "Reason", "Message for the user"]
        page.table("Settings in force: \(settings.count)", titles, rows)
    }

    private static func reason(_ setting: JSON, _ disagreement: JSON?) -> String {
        guard let disagreement else {
            if setting["policyId"] == .null { return "No policy states it; this value is the default." }
            let others = setting["alsoIn"].elements.count
            return others == 0 ? "No other policy says otherwise." : "Policies that say the same: \(others)."
        }
        let others = disagreement["values"].elements.filter { $0["policyId"] != setting["policyId"] }.map {
            "\(Page.policy($0)) \($0["stated"] == .bool(true) ? "says" : "states nothing, which means") "
                + Text.setting($0["value"])
        }
        let rule =
            switch disagreement["resolution"].string {
            case "common": "the members that all have hold"
            case "lowestId": "the policy with the lowest id decides"
            default: "the strictest value holds"
            }
        return "\(others.joined(separator: "; ")): \(rule)."
    }

    private static func messages(_ decisions: [JSON]) -> Markup {
        let all = decisions.map(\.userMessage)
        let different = all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
        let shown = different.prefix(maximumMessages).map { Markup.element("div", [Page.userMessage($0)]) }
        let left = different.count - shown.count
        return .lines(shown + (left > 0 ? [.element("div", "and \(left) more, below")] : []))
    }

    private static func addDecisions(_ decisions: [JSON], to page: inout Page) {
        guard !decisions.isEmpty else { return }
        page.heading("Decisions")
        let restricted = decisions.filter(\.isRestriction)
        let rows = restricted.map { decision -> [Markup] in
            let reason = decision["reason"]
            return [
                .cell(SimulationReport.request(decision["request"])), .cell(decision.decision),
                .cell(Text.value(reason["setting"])), .cell(Page.policy(reason)),
                .cell(Text.value(reason["message"])), Page.userMessage(reason["userMessage"].string),
            ]
        }
        page.table(
            "Refused or required: \(restricted.count) of \(decisions.count) that were asked",
            ["Action", "Result", "Setting", "Policy", "Reason", "Message for the user"], rows)
        let free = decisions.filter { !$0.isRestriction }.map { SimulationReport.request($0["request"]) }
        if !free.isEmpty { page.paragraph("Allowed or not required: \(free.joined(separator: ", ")).") }
        page.paragraph("“(own)” is a place of the user's own account. The lock of the device counts as unknown.")
    }

    private static func addDocuments(_ explanation: JSON, to page: inout Page) {
        page.heading("Policies of the authority")
        for (caption, list) in [("Policies", "policies"), ("App configurations", "configurations")] {
            let rows = explanation[list].elements.map { document -> [Markup] in
                [
                    .cell(Page.policy(document)), .cell(Text.value(document["id"])),
                    .cell(Text.value(document["delivered"])), .cell(Text.value(document["message"])),
                ]
            }
            page.table("\(caption): \(rows.count)", ["Name", "Id", "Reaches the user", "Why"], rows)
        }
        if explanation["policies"].elements.isEmpty { page.paragraph("The authority has no policies.") }
        let warnings = explanation["warnings"].elements.map { Text.value($0["message"]) }
        if !warnings.isEmpty { page.heading("Warnings") }
        page.list(warnings)
    }
}
