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
            one of --id, --executable and --pid mamctl says whether that is managed, with the exit status 3 where not. \
            An app without an account under policy does not know who is managed.

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
                let asker = try Asker(session)
                try output.showList(session.text { mam_managed_apps($0, $1) }) { Apps.lines($0, asker) }
            }
        }
        let (reply, asker) = try Session.open(session) { session in
            (try session.text { mam_managed_app($0, query.text, $1) }, try Asker(session))
        }
        let answer = try JSON(parsing: reply)
        let isManaged = answer["managed"] == .bool(true)
        try output.show(reply) { _ in
            guard !isManaged else { return ["managed: \(Text.value(answer["apps"]))"] }
            let problem = Text.value(answer["problem"])
            let answer =
                asker.isManaged
                ? "not managed in the group \(asker.group): \(problem)" : "not known: \(asker.ignorance)"
            return [answer]
                + (id.flatMap(otherGroup).map { ["it is of the group \($0): ask with --group \($0)"] } ?? [])
        }
        if !isManaged { throw CommandError.refused(nil) }
    }

    /// The app that asks. Only the authority of an account under policy says which apps are managed.
    private struct Asker {
        let app: String
        let group: String
        let isManaged: Bool

        init(_ session: Session) throws {
            let settings = try session.settings()
            (app, group) = (Text.value(settings["app"]["id"]), Text.value(settings["app"]["group"]))
            isManaged = try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
                .contains { $0["managed"] == .bool(true) }
        }

        var ignorance: String {
            "\(app) has no account under policy, whose authority would say which apps are managed; enroll one, or ask as an app that "
                + "has one, with --app"
        }
    }

    /// The group that has an app's id for its name, if it is another one than that which was asked and has a state.
    private func otherGroup(_ id: String) -> String? {
        var other = session
        (other.app, other.group) = (id, id)
        guard other.hasState, (try? session.appAndGroup().group) != id else { return nil }
        return id
    }

    private static func lines(_ apps: JSON, _ asker: Asker) -> [String] {
        let rows = apps.elements.map { app in
            let accounts = app["accounts"].elements.map { $0["upn"].string ?? Text.value($0["accountId"]) }
            let isKnown = asker.isManaged || accounts.isEmpty
            return [
                Text.value(app["appId"]), isKnown ? Text.value(app["managed"]) : "not known",
                accounts.joined(separator: ", "), isKnown ? app["problem"].string ?? "" : "",
            ]
        }
        let none =
            "no app of the group \(asker.group) is managed: an app enters itself when an account of it gets policy (mamctl enroll); apps "
            + "of other groups are not seen (--group)"
        let table = Table(titles: ["app", "managed", "accounts", "problem"], rows: rows).lines(none: none)
        return table + (asker.isManaged || rows.isEmpty ? [] : ["", asker.ignorance])
    }
}
