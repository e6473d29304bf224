import CMam
import Glibc
import MAMValues

/// The content of the Intune App SDK's diagnostic console: app and library, device, log, and an account with its check-ins, PIN and
/// policy.
struct ConsoleReport {
    let json: JSON
    /// The names of the accounts, in the order in which they are chosen.
    let accounts: [String]
    let isVerbose: Bool

    /// `selected` counts from 0, and around.
    init(of session: Session, selected: Int) throws {
        let settings = try session.settings()
        let diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
        let entries = diagnosis["accounts"].elements
        accounts = entries.map { $0["accountId"].string ?? $0["upn"].string ?? "" }
        let verbose = settings["settings"].elements.first { $0["key"] == .string("VerboseLoggingEnabled") }
        isVerbose = verbose?["value"] == .bool(true)
        let index = accounts.isEmpty ? 0 : selected % accounts.count
        json = .members([
            "app": settings["app"], "libmam": .string(String(cString: mam_version())), "mamctl": .string(MAM_VERSION),
            "deviceName": .string(ConsoleReport.hostName), "os": ConsoleReport.system(diagnosis["deviceHealth"]),
            "deviceTag": diagnosis["deviceTag"],
            "mdmAccount": try JSON(parsing: session.text { mam_mdm_account($0, $1) }),
            "authority": diagnosis["authority"], "verboseLogging": verbose ?? .null, "logFiles": diagnosis["logFiles"],
            "accounts": .number(accounts.count), "selected": .number(index + 1),
            "account": accounts.isEmpty ? .null : try ConsoleReport.account(entries[index], accounts[index], session),
        ])
    }

    /// Texts that differ when there is something else to show, read without asking the authority or the device.
    static func mark(of session: Session, account: String?) throws -> [String] {
        let texts = [
            try session.text { mam_settings($0, $1) }, try session.text { mam_registered_accounts($0, $1) },
            try session.text { mam_mdm_account($0, $1) },
        ]
        return texts + [account.map { pin(of: $0, session).text } ?? ""]
    }

    private static func account(_ entry: JSON, _ name: String, _ session: Session) throws -> JSON {
        let policy = try JSON(parsing: session.policy(of: name))
        let more: [JSON.Member] = [
            ("pin", pin(of: name, session)), ("policies", policy["policies"]), ("lockDown", policy["lockDown"]),
            ("settings", policy["settings"]),
        ]
        return .object(entry.members + more)
    }

    /// null for an account without a policy.
    private static func pin(of account: String, _ session: Session) -> JSON {
        (try? JSON(parsing: session.text { mam_pin_status($0, account, $1) })) ?? .null
    }

    private static func system(_ health: JSON) -> JSON {
        let values = ["osDistribution", "osVersion"].compactMap { name in
            health["signals"].elements.first { $0["signal"] == .string(name) }?["value"].string
        }
        return values.isEmpty ? .null : .string(values.joined(separator: " "))
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
