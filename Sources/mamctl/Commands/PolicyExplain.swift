import ArgumentParser
import CMam
import MAMValues

extension Policy {
    /// `mamctl policy explain`
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Say what a user gets in an app from the authority, and why.",
            discussion: """
                What the next check-in brings: of every policy and app configuration why it reaches the user or \
                does not, and each setting with the policy that it comes from and what other policies say instead. The authority is only read. \
                --html writes a page that has each decision with its reason and the message for the user as well; \
                --user-message prints only the user's message about the check-in.

                Example:
                  mamctl policy explain ann@contoso.example --app com.example.notes
                  mamctl policy explain ann@contoso.example --html --output ann.html
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Option(help: ArgumentHelp("The app's id (default: $MAM_APP).", valueName: "id"), completion: Completions.apps)
        var app: String?

        @OptionGroup var messages: MessageOptions
        @OptionGroup var page: PageOptions
        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            try page.check(authority.output)
            guard !messages.userMessage || !page.html && !authority.output.json else {
                throw ValidationError("--user-message goes with neither --html nor --json")
            }
        }

        func run() throws {
            try messages.language.choose()
            guard let app = try Configuration.text(.app, option: app) else {
                throw CommandError.usage("which app? Give --app ID, set MAM_APP, or put app into mam.conf")
            }
            let (path, request) = (try authority.path(), JSON.members(["user": .string(user), "app": .string(app)]))
            let reply = try Library.text { mam_policy_explain(path, request.text, $0) }
            guard !messages.userMessage else {
                return try authority.output.show(reply) { [Text.value($0["checkIn"]["userMessage"])] }
            }
            guard !page.html else {
                return try page.write(ExplanationPage.text(JSON(parsing: reply), authority: path))
            }
            try authority.output.show(reply, Explain.lines)
        }

        private static func lines(_ explanation: JSON) -> [String] {
            let (user, checkIn, effective) = (explanation["user"], explanation["checkIn"], explanation["effective"])
            let isKnown = explanation["appKnown"] == .bool(true)
            var lines = Text.fields([
                ("user", "\(Text.value(user["upn"])) (\(Text.value(user["accountId"])))"),
                ("app", Text.value(explanation["app"]) + (isKnown ? "" : ", which the authority does not know")),
                ("check-in", "\(Text.value(checkIn["message"])) (\(Text.value(checkIn["name"])))"),
            ])
            if checkIn["disabled"] == .bool(true) {
                lines.append("The user is disabled: nothing of the account is shown.")
            }
            for (title, list) in [("policy", "policies"), ("app configuration", "configurations")] {
                lines += table([title, "reaches", "why"], explanation[list].elements) { document in
                    [
                        Text.cut(document["displayName"].string ?? Text.value(document["id"]), to: 30),
                        Text.value(document["delivered"]), Text.value(document["message"]),
                    ]
                }
            }
            let disagreements = explanation["disagreements"].elements
            lines += table(["setting", "value", "policy", "instead of"], effective["settings"].elements) { setting in
                let disagreement = disagreements.first { $0["setting"] == setting["setting"] }
                // Removing one of several changes nothing.
                let more = setting["alsoIn"].elements.count
                let policy = setting["policyName"].string ?? Text.value(setting["policyId"])
                return [
                    Text.value(setting["setting"]), Text.cut(Text.setting(setting["value"]), to: 32),
                    more > 0 ? "\(policy) and \(more) more" : policy,
                    disagreement.map { others($0, setting["policyId"]) } ?? "",
                ]
            }
            return lines
        }

        private static func table(_ titles: [String], _ rows: [JSON], _ row: (JSON) -> [String]) -> [String] {
            rows.isEmpty ? [] : [""] + Table(titles: titles, rows: rows.map(row)).lines
        }

        /// The values of the other policies. Names the rule that decided, unless it was strictness.
        private static func others(_ disagreement: JSON, _ chosen: JSON) -> String {
            let given = disagreement["values"].elements.filter { $0["policyId"] != chosen }.map {
                "\(Text.cut(Text.setting($0["value"]), to: 24)) (\($0["policyName"].string ?? Text.value($0["policyId"])))"
            }
            let why =
                switch disagreement["resolution"].string {
                case "common": ": what all have holds"
                case "lowestId": ": the lowest id decides"
                default: ""
                }
            return given.joined(separator: ", ") + why
        }
    }
}
