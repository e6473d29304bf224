import CMam
import Glibc
import MAMValues

/// The archive of `mamctl diagnose --all`. Its members are described in docs/diagnostics.md.
struct SupportArchive {
    private static let folder = "diagnosis"

    let apps: [String]
    let failures: [JSON]
    private(set) var archive = TarArchive(time: time(nil))

    /// `keepsNames` leaves names of people in it, and verbose lines of the logs.
    init(_ reports: SupportReports, keepsNames: Bool) {
        (apps, failures) = (reports.apps, reports.failures)
        let hiding = ReportHiding(reports, keepsNames: keepsNames)
        let about = JSON.members([
            "time": .string(ProcessEnvironment.now), "mamctl": .string(MAM_VERSION),
            "libmam": .string(String(cString: mam_version())), "abi": .number(mam_abi_version()),
            "group": .string(reports.group), "directory": .string(reports.directory),
            "apps": .array(apps.map(JSON.string)), "names": .bool(keepsNames), "failures": .array(failures),
        ])
        add("about", about, nil, hiding)
        for report in reports.reports where report.app == nil { add(report.name, report.json, nil, hiding) }
        for app in apps {
            for report in reports.reports where report.app == app {
                add("apps/\(app)/\(report.name)", report.json, app, hiding)
            }
            for log in StateFiles.logs(of: app, in: reports.directory) {
                let text = hiding.hidden(log: log.text, of: app)
                archive.add("\(SupportArchive.folder)/apps/\(app)/\(log.name)", Array(text.utf8))
            }
        }
    }

    private mutating func add(_ name: String, _ json: JSON, _ app: String?, _ hiding: ReportHiding) {
        archive.add(
            "\(SupportArchive.folder)/\(name).json", Array("\(hiding.hidden(json, of: app).indentedText)\n".utf8))
    }
}
