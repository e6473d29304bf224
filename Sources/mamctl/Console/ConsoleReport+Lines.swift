import MAMValues

extension ConsoleReport {
    /// The lines of the page, with their styles.
    var lines: [StyledLine] {
        let problem = json["authority"]["problem"].string.map { [StyledLine($0, .bad)] } ?? []
        return Text.fields(fields).map { StyledLine($0) } + problem + [StyledLine("")] + accountLines
    }

    private typealias Fields = [(label: String, value: String)]

    private var fields: Fields {
        let (app, owner, authority) = (json["app"], json["mdmAccount"], json["authority"])
        let version = app["version"].string.map { " \($0)" } ?? ""
        let own = json["libmam"] == json["mamctl"] ? "" : " (mamctl \(Text.value(json["mamctl"])))"
        let custody = authority["problem"] == .null ? Text.value(authority["custody"]) : "cannot be asked"
        return [
            ("app", "\(Text.value(app["id"]))\(version), group \(Text.value(app["group"]))"),
            ("libmam", Text.value(json["libmam"]) + own), ("device name", Text.value(json["deviceName"])),
            ("os version", Text.value(json["os"])), ("device tag", Text.value(json["deviceTag"])),
            ("MDM account", owner["upn"].string ?? Text.value(owner["accountId"])),
            ("authority", "\(Text.value(authority["path"])) (\(custody))"),
            ("verbose log", "\(isVerbose ? "on" : "off") (\(Text.value(json["verboseLogging"]["source"])))"),
            ("log files", Text.value(json["logFiles"]["paths"])),
        ]
    }

    private var accountLines: [StyledLine] {
        let account = json["account"]
        guard account != .null else { return [StyledLine("no accounts; see 'mamctl enroll --help'")] }
        let count = json["accounts"].integer ?? 1
        let place = count > 1 ? ", \(json["selected"].text) of \(count)" : ""
        let hasFailed = (account["lastCode"].integer ?? 0) >= 200
        let lines = Text.fields(ConsoleReport.fields(of: account)).map { line in
            StyledLine(line, hasFailed && line.hasPrefix("last result") ? .bad : .plain)
        }
        return [StyledLine("ACCOUNT\(place)", .title)] + lines + ConsoleReport.settings(account["settings"].elements)
    }

    private static func fields(of account: JSON) -> Fields {
        let pin = account["pin"]
        let left = pin["attemptsLeft"].integer.map { ", \($0) attempts left" } ?? ""
        let policies = account["policies"].elements.map { $0["name"].string ?? Text.value($0["id"]) }
        let message = account["lastMessage"].string.map { " \($0)" } ?? ""
        return [
            ("managed UPN", Text.value(account["upn"])), ("account id", Text.value(account["accountId"])),
            ("in the log", Text.value(account["account"])),
            ("state", Text.value(account["state"]) + (account["managed"] == .bool(true) ? ", managed" : "")),
            ("last attempted check-in", past(account["lastAttempt"])),
            ("last completed check-in", past(account["lastCheckIn"])),
            ("next check-in", Text.value(account["nextCheckIn"])),
            ("last result", Text.value(account["lastCode"]) + message), ("PIN", Text.value(pin["state"]) + left),
            ("policies", policies.isEmpty ? "-" : policies.joined(separator: ", ")),
        ]
    }

    private static func past(_ time: JSON) -> String {
        guard let then = RelativeTime.between(time, ProcessEnvironment.now) else { return "never" }
        return "\(Text.value(time)) (\(then.past))"
    }

    /// On 80 columns values leave room for the policy that a setting is from.
    private static func settings(_ settings: [JSON]) -> [StyledLine] {
        guard !settings.isEmpty else { return [] }
        let names = settings.map { Text.value($0["setting"]).count }.max() ?? 0
        let room = max(12, min(30, 80 - names - 2 * 2 - 12))
        let table = Table(
            titles: ["policy setting", "value", "from"],
            rows: settings.map { setting in
                [
                    Text.value(setting["setting"]), Text.cut(Text.setting(setting["value"]), to: room),
                    setting["policyName"].string ?? Text.value(setting["policyId"]),
                ]
            })
        let rows = table.lines.dropFirst().map { StyledLine($0) }
        return [StyledLine(""), StyledLine(table.lines[0], .title)] + rows
    }
}
