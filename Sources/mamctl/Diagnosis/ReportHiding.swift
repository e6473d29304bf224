import Glibc
import MAMValues

/// Takes out of reports what is not for everybody: values that may be secret, and names of people unless they are asked for.
struct ReportHiding {
    private static let hidden = JSON.string("hidden")

    private let keepsNames: Bool
    /// The keys of ValuesToScrubFromLogging in any app.
    private let scrubbed: Set<String>
    /// By app: an account's row id stands for it, which differs from app to app.
    private let names: [String: PersonalNames]
    private let allNames: PersonalNames

    init(_ reports: SupportReports, keepsNames: Bool) {
        self.keepsNames = keepsNames
        scrubbed = Set(
            reports.all("settings").flatMap { report in
                report.json["settings"].elements.filter { $0["key"] == .string("ValuesToScrubFromLogging") }
                    .flatMap { $0["value"].elements.compactMap(\.string) }
            })
        let home = getenv("HOME").map { [(String(cString: $0), "~")] } ?? []
        let own = reports.all("diagnostics").map { ($0.app ?? "", ReportHiding.accounts(in: $0.json)) }
        let others = own.flatMap(\.1) + reports.reports.flatMap { ReportHiding.names(in: $0.json) } + home
        allNames = ReportHiding.distinct(others)
        names = Dictionary(uniqueKeysWithValues: own.map { ($0, ReportHiding.distinct($1 + others)) })
    }

    /// A report without what is hidden.
    func hidden(_ json: JSON, of app: String?) -> JSON {
        switch json {
        case .string(let text): .string(replaced(text, of: app))
        case .array(let elements): .array(elements.map { hidden($0, of: app) })
        case .object(let members):
            .object(
                members.map { key, value in
                    switch key {
                    case "managedAppConfig": (key, configuration(value, of: app))
                    case "log": (key, hidden(latestLines: value, of: app))
                    default: (key, hidden(value, of: app))
                    }
                })
        default: json
        }
    }

    private func hidden(latestLines: JSON, of app: String?) -> JSON {
        let lines = latestLines.elements.filter { keepsNames || $0["level"] != .integer(0) }
        return .array(
            lines.map { line in
                .object(
                    line.members.map { key, value in
                        (key, value.string.map { .string(hidden(line: $0, of: app)) } ?? value)
                    })
            })
    }

    /// The lines of a log. Only verbose ones name people.
    func hidden(log: String, of app: String) -> String {
        let lines = log.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }.filter { line in
            let words = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
            return keepsNames || !(words.dropFirst().first?.elementsEqual("verbose".utf8) ?? false)
        }
        return lines.map { "\(hidden(line: String($0), of: app))\n" }.joined()
    }

    /// Whatever list of values to scrub was known when the line was written, and also where the state cannot be opened now.
    private func hidden(line: String, of app: String?) -> String {
        replaced(ConfigurationLine.withoutValue(line, ofKeys: nil), of: app)
    }

    /// The values of an app configuration may be passwords. Those of the Intune App SDK's own keys are not.
    private func configuration(_ configuration: JSON, of app: String?) -> JSON {
        guard case .object(let members) = configuration else { return hidden(configuration, of: app) }
        return .object(
            members.map { key, value in
                let isShown = !scrubbed.contains(key) && key.hasPrefix("IntuneMAM")
                return (key, isShown ? hidden(value, of: app) : ReportHiding.hidden)
            })
    }

    private func replaced(_ text: String, of app: String?) -> String {
        guard !keepsNames else { return text }
        return (app.flatMap { names[$0] } ?? allNames).replaced(in: text)
    }

    private typealias Names = [(name: String, replacement: String)]

    /// The accounts of an app, each with the id that the log has for it.
    private static func accounts(in diagnosis: JSON) -> Names {
        ["accounts", "closedAccounts", "wipes"].flatMap { diagnosis[$0].elements }.flatMap { account in
            let id = account["account"].string ?? PersonalNames.unknown
            return [account["upn"], account["accountId"]].compactMap(\.string).map { ($0, id) }
        }
    }

    /// The members that name an account, anywhere in a report.
    private static let naming: Set = [
        "upn", "accountId", "identity", "mdmAccountId", "IntuneMAMUPN", "IntuneMAMOID", "allowedAccounts",
    ]

    private static func names(in json: JSON, isNaming: Bool = false) -> Names {
        switch json {
        case .string(let text): isNaming ? [(text, PersonalNames.unknown)] : []
        case .array(let elements): elements.flatMap { names(in: $0, isNaming: isNaming) }
        case .object(let members):
            members.flatMap { names(in: $0.value, isNaming: isNaming || naming.contains($0.key)) }
        default: []
        }
    }

    /// The first of several with one name.
    private static func distinct(_ names: Names) -> PersonalNames {
        var known: Set<String> = []
        return PersonalNames(names.filter { known.insert($0.name.lowercased()).inserted })
    }
}
