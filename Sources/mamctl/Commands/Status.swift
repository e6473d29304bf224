import ArgumentParser
import CMam
import MAMValues

/// `mamctl status`
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the app's accounts, policy and what is wrong.",
        discussion: """
            Shows the app, its authority and who can change that, the policy in force, each account with its \
            check-ins, where each value comes from that selects the session, what needs somebody's attention, with \
            what to do, and notes, which count for nothing. A check-in that is overdue or lies in the future, an \
            enrolled account without any policy (103), a setting whose value nobody understands, and what blocks the next launch need \
            attention, as does an app that was never run here and resembles a known one; a user without licence or policy who is not \
            managed here is a note, and so is any other app that was never run here. With --json it is one object, whose keys stay what they are. Looking does nothing that is \
            due, and makes no state.

            --all-apps shows every app with an account in the state directory on a line of its own, with --json in an \
            object of its own. A directory there that this user may not use is named with the reason, and the exit \
            status is 1.

            Exit status: 0 fine, 3 something needs attention, 1 the authority or the state cannot be asked. With \
            --nagios it is 0 OK, 1 WARNING, 2 CRITICAL (data is closed, or the authority cannot be asked), \
            3 UNKNOWN (the state cannot be asked, or the app was never run here). --prometheus replaces FILE as a whole, for the textfile collector of node_exporter.

            Example:
              mamctl status
              mamctl status --nagios
            """)

    @Flag(help: "One line and an exit status as Nagios plugins have them.")
    var nagios = false

    @Option(
        help: ArgumentHelp("Write metrics to this file instead; - is standard output.", valueName: "file"),
        completion: .file())
    var prometheus: String?

    @Flag(help: "Show every app with an account in the state directory.")
    var allApps = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        guard [nagios, prometheus != nil, output.json].count(where: \.self) <= 1 else {
            throw ValidationError("give one of --nagios, --prometheus and --json")
        }
        guard !allApps || !nagios && prometheus == nil && session.app == nil && session.group == nil else {
            throw ValidationError("--all-apps goes with none of --nagios, --prometheus, --app and --group")
        }
    }

    func run() throws {
        if allApps { return try AllApps(session: session, output: output).each(tell) }
        let report: JSON
        do {
            report =
                try StatusReport(ofNeverRun: session)?.json
                ?? StatusReport.json(session)
        } catch {
            if let prometheus {
                try StatusMetrics(nil, app: try? Configuration.text(.app, option: session.app)).write(prometheus)
            }
            throw error
        }
        if nagios {
            let plugin = StatusPlugin(report)
            try Output.line(plugin.line)
            guard plugin.status == 0 else { throw CommandError.silent(ExitStatus(rawValue: plugin.status) ?? .failed) }
            return
        }
        if let prometheus {
            let isKnown = report["stateExists"] == .bool(true)
            try StatusMetrics(isKnown ? report : nil, app: report["app"]["id"].string).write(prometheus)
        } else if output.json {
            try Output.line(report.text)
        } else {
            for line in lines(report) { try Output.line(line.text) }
        }
        try Status.fail(unlessFine: report)
    }

    private static func fail(unlessFine report: JSON) throws {
        switch report["health"].string {
        case "fine": break
        case "attention": throw CommandError.silent(.refused)
        default: throw CommandError.silent(.failed)
        }
    }

    /// One app of several: a line, or a line for each problem.
    private func tell(_ app: String, _ options: SessionOptions) throws -> Bool {
        let report = try StatusReport.json(options)
        let figures = StatusFigures(report)
        let problems = report["problems"].elements.map(Status.line)
        // The app that its group is named after may have nothing.
        guard figures.accounts > 0 || !problems.isEmpty else { return false }
        let lines = problems.isEmpty ? ["\(figures.managed) of \(figures.accounts) accounts managed"] : problems
        try output.show(report.text) { _ in lines.map { "\(app): \($0)" } }
        try Status.fail(unlessFine: report)
        return true
    }

    private func lines(_ report: JSON) -> [StyledLine] {
        let accounts = report["accounts"].elements
        let problems = report["problems"].elements
        let table = Table(
            titles: ["account", "state", "managed", "checked in", "next"],
            rows: accounts.map { row($0, now: Text.value(report["time"])) })
        let lines = Text.fields(fields(report)).map { StyledLine($0) } + [StyledLine("")]
        let ending =
            Status.origins(report["configuration"].elements)
            + Status.list("needs attention:", .bad, problems) + Status.list("notes:", .title, report["notes"].elements)
        guard !accounts.isEmpty else {
            return lines + [StyledLine("no accounts; see 'mamctl enroll --help'")] + ending
        }
        let rows = zip(table.lines.dropFirst(), accounts).map { line, account in
            StyledLine(line, Status.style(of: account, problems))
        }
        return lines + [StyledLine(table.lines[0], .title)] + rows + ending
    }

    /// Where each value comes from.
    private static func origins(_ values: [JSON]) -> [StyledLine] {
        let table = Table(
            titles: ["option", "value", "from"],
            rows: values.map {
                [Text.value($0["key"]), Text.cut(Text.value($0["value"]), to: 60), Text.value($0["origin"])]
            })
        return [StyledLine(""), StyledLine(table.lines[0], .title)] + table.lines.dropFirst().map { StyledLine($0) }
    }

    private func fields(_ report: JSON) -> [(label: String, value: String)] {
        let authority = report["authority"]
        let custody = authority["problem"] == .null ? authority["custody"].string : "cannot be asked"
        var fields = [
            ("app", Text.value(report["app"]["id"])), ("state", Text.value(report["stateDirectory"])),
            (
                "authority",
                (authority["path"].string ?? Text.value(authority["url"])) + (custody.map { " (\($0))" } ?? "")
            ),
            ("policy", Status.policy(report["accounts"].elements)),
        ]
        if authority["type"] == .string("https") {
            fields.insert(("last reached", authority["lastReached"].string ?? "not known"), at: 3)
        }
        if let identity = report["identity"].string {
            let origin = report["configuration"].elements.first { $0["key"] == .string("account") }?["origin"].string
            fields.append(("acts for", "\(identity.isEmpty ? "nobody" : identity) (\(origin ?? "MAM_IDENTITY"))"))
        }
        if report["allowedAccounts"] != .null {
            fields.append(("allowed accounts", Text.value(report["allowedAccounts"])))
        }
        if let owner = report["mdmAccount"]["accountId"].string { fields.append(("device of", owner)) }
        let wipes = report["wipes"].elements.count
        if wipes > 0 { fields.append(("open wipes", "\(wipes)")) }
        let unenrollments = report["unenrollments"].elements.count
        if unenrollments > 0 { fields.append(("unreported", "\(unenrollments) unenrolled")) }
        return fields.map { (label: $0.0, value: $0.1) }
    }

    /// The policies in force, on one line.
    private static func policy(_ accounts: [JSON]) -> String {
        let inForce = accounts.filter { $0["managed"] == .bool(true) }.map { account in
            let names = account["policies"].elements.map { $0["name"].string ?? Text.value($0["id"]) }
            let isClosed = account["lockDown"] == .bool(true)
            let what = isClosed ? "closed" : names.joined(separator: ", ")
            return "\(name(account)): \(what) (\(account["settings"].text) settings)"
        }
        return inForce.isEmpty ? "none in force" : inForce.joined(separator: "; ")
    }

    private static func name(_ account: JSON) -> String {
        account["upn"].string ?? Text.value(account["accountId"])
    }

    private func row(_ account: JSON, now: String) -> [String] {
        let next =
            account["due"] == .bool(true) ? "due now" : RelativeTime.between(now, account["nextCheckIn"])?.ahead ?? "-"
        return [
            Status.name(account), Text.value(account["state"]), Text.value(account["managed"]),
            RelativeTime.between(account["lastCheckIn"], now)?.past ?? "never", next,
        ]
    }

    private static func style(of account: JSON, _ problems: [JSON]) -> StyledLine.Style {
        let names = [account["upn"].string, account["accountId"].string].compactMap(\.self)
        if problems.contains(where: { names.contains($0["account"].string ?? "") }) { return .bad }
        return account["managed"] == .bool(true) ? .good : .plain
    }

    /// Problems with their remedies, or notes.
    private static func list(_ title: String, _ style: StyledLine.Style, _ remarks: [JSON]) -> [StyledLine] {
        guard !remarks.isEmpty else { return [] }
        return [StyledLine(""), StyledLine(title, style)] + remarks.map { StyledLine("  \(line($0))") }
    }

    private static func line(_ remark: JSON) -> String {
        let code = remark["code"] == .null ? "" : " (\(remark["code"].text))"
        let who = remark["account"].string.map { "\($0): " } ?? ""
        return "\(who)\(Text.value(remark["message"]))\(code)"
    }
}
