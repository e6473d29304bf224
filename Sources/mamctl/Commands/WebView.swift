import ArgumentParser
import CMam
import MAMValues

/// `mamctl web-view`
struct WebView: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-view",
        abstract: "Ask what a web viewer inside the app may do.",
        discussion: """
            Prints for whom the viewer acts, and whether files may be uploaded and text pasted there; with --url \
            also whether it may open that, or what may be opened instead. The exit status is 3 where the URL is \
            refused, and without --url where uploading or pasting is.

            Example:
              mamctl web-view --account ann@contoso.example --url https://contoso.example/ --external
            """)

    /// The policies of a viewer in mam_policy_web_view.
    enum Viewer: String, ExpressibleByArgument, CaseIterable {
        case unset, unmanaged, currentIdentity, currentIdentityBlockUpload
    }

    @Option(
        help: "The account that uses the app: a UPN or an account id; \"\" for none (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @Option(help: "The account for which the viewer acts; unset asks the setting TreatAllWebViewsAsUnmanaged.")
    var viewer: Viewer = .unset

    @Option(help: "The URL that it is to open.")
    var url: String?

    @Flag(help: "The page is outside the organisation.")
    var external = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let account = try ProcessEnvironment.account(account)
        let viewer = JSON.members([
            "policy": .string(viewer.rawValue), "url": url.map(JSON.string), "external": .bool(external),
        ])
        let reply = try Session.open(session) { session in
            try session.checkInIfDue()
            return try session.withPolicy(of: account) { policy in
                try Library.text { mam_policy_web_view(policy, viewer.text, $0) }
            }
        }
        try output.show(reply) { WebView.lines($0) }
        let answer = try JSON(parsing: reply)
        let asked = url == nil ? [answer["upload"], answer["paste"]] : [answer["url"]]
        if asked.contains(where: \.isRestriction) { throw CommandError.refused(nil) }
    }

    private static func lines(_ answer: JSON) -> [String] {
        let identity = answer["identity"].string
        var fields = [
            ("acts for", identity.map { $0.isEmpty ? "nobody" : $0 } ?? "several accounts"),
            ("upload", words(answer["upload"])), ("paste", words(answer["paste"])),
        ]
        if answer["url"] != .null { fields.append(("url", words(answer["url"]))) }
        return Text.fields(fields)
    }

    private static func words(_ decision: JSON) -> String {
        guard decision.isRestriction else { return "allowed" }
        let instead = decision["instead"].elements.compactMap(\.string).joined(separator: " or ")
        return "refused: \(decision.reasonInWords)" + (instead.isEmpty ? "" : "; instead: \(instead)")
    }
}
