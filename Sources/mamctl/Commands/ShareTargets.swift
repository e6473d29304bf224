import ArgumentParser
import CMam
import MAMValues

/// `mamctl share-targets`
struct ShareTargets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share-targets",
        abstract: "Show which programs an account's data may be shared with.",
        discussion: """
            A target is the id of an app, the absolute path of a program, or a scheme with a colon at its end. \
            Those that remain are printed, one a line; why others do not goes to standard error. The exit status is \
            3 where none remains.

            Example:
              mamctl share-targets --account ann@contoso.example com.example.mail /usr/bin/xterm mailto:
            """)

    @Argument(help: "Where data could be shared to.")
    var targets: [String] = []

    @Option(
        help: "The owner of the data: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @Option(
        help: ArgumentHelp("The account that receives it there (default: the target's choice).", valueName: "account"),
        completion: Completions.accounts)
    var identity: String?

    @Option(
        help: ArgumentHelp(
            "The targets as a JSON array, in the place of arguments; @FILE reads it from a file, - from standard input.",
            valueName: "json"))
    var request: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        guard targets.isEmpty == (request != nil), request == nil || identity == nil else {
            throw ValidationError("give targets as arguments, or --request alone")
        }
    }

    func run() throws {
        let account = try ProcessEnvironment.account(account)
        let wanted = try wanted()
        let reply = try Session.open(session) { session in
            try session.checkInIfDue()
            return try session.withPolicy(of: account) { policy in
                try Library.text { mam_policy_filter_share_targets(policy, wanted.text, $0) }
            }
        }
        let answer = try JSON(parsing: reply)
        try output.show(reply) { answer in answer["remaining"].elements.map { ShareTargets.name($0["target"]) } }
        if !output.json {
            for removed in answer["removed"].elements {
                let name = ShareTargets.name(removed["target"])
                let line = "\(name)\(name.hasSuffix(":") ? "" : ":") \(removed.reasonInWords)"
                Output.complain("mamctl: \(Text.clean(line))")
            }
        }
        if answer["remaining"].elements.isEmpty { throw CommandError.refused(nil) }
    }

    private func wanted() throws -> JSON {
        if let request { return try request == "-" ? Input.jsonFile("-") : Input.json(request, option: "--request") }
        return .array(
            targets.map { target in
                let isScheme = target.hasSuffix(":")
                let isPath = target.hasPrefix("/")
                return .members([
                    "appId": isScheme || isPath ? nil : .string(target), "executable": isPath ? .string(target) : nil,
                    "scheme": isScheme && !isPath ? .string(target) : nil, "identity": identity.map(JSON.string),
                ])
            })
    }

    private static func name(_ target: JSON) -> String {
        let name = ["appId", "executable", "scheme"].compactMap { target[$0].string }.first ?? target.text
        return target["identity"].string.map { "\(name) (\($0))" } ?? name
    }
}
