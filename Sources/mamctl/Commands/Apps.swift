import ArgumentParser
import CMam
import MAMValues

/// `mamctl apps`
struct Apps: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Show which apps of the group are managed, or whether one program is.",
        discussion: """
            An app enters itself at a check-in that brings policy, and leaves with its last managed account. With \
            one of --id, --executable and --pid it is told whether that is managed, with the exit status 3 where not.

            Example:
              mamctl apps
              mamctl apps --id com.example.mail
            """)

    @Option(help: ArgumentHelp("The id of an app.", valueName: "id"))
    var id: String?

    @Option(help: ArgumentHelp("The absolute path of a program.", valueName: "path"), completion: .file())
    var executable: String?

    @Option(help: ArgumentHelp("A process.", valueName: "pid"))
    var pid: Int32?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    private var query: JSON {
        .members([
            "appId": id.map(JSON.string), "executable": executable.map(JSON.string),
            "pid": pid.map { .number($0) },
        ])
    }

    func validate() throws {
        guard query.members.count <= 1 else { throw ValidationError("give one of --id, --executable and --pid") }
    }

    func run() throws {
        guard !query.members.isEmpty else {
            return try Session.open(session) { session in
                try output.showList(session.text { mam_managed_apps($0, $1) }) { Apps.lines($0) }
            }
        }
        let (reply, group) = try Session.open(session) { session in
            let settings = try JSON(parsing: session.text { mam_settings($0, $1) })
            return (try session.text { mam_managed_app($0, query.text, $1) }, Text.value(settings["app"]["group"]))
        }
        let answer = try JSON(parsing: reply)
        let isManaged = answer["managed"] == .bool(true)
        try output.show(reply) { _ in
            isManaged
                ? ["managed: \(Text.value(answer["apps"]))"]
                : ["not managed in the group \(group): \(Text.value(answer["problem"]))"]
        }
        if !isManaged { throw CommandError.refused(nil) }
    }

    private static func lines(_ apps: JSON) -> [String] {
        Table(
            titles: ["app", "managed", "accounts", "problem"],
            rows: apps.elements.map { app in
                let accounts = app["accounts"].elements.map { $0["upn"].string ?? Text.value($0["accountId"]) }
                return [
                    Text.value(app["appId"]), Text.value(app["managed"]), accounts.joined(separator: ", "),
                    app["problem"].string ?? "",
                ]
            }
        ).lines(none: "no app of this group is managed")
    }
}
