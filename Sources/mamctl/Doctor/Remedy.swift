import CMam
import Glibc
import MAMValues

/// The command that mends a problem of a session.
struct Remedy {
    /// The options that select the session.
    let words: String
    private let authority: AuthorityCheck
    private var diagnosis = JSON.null
    private var accounts: [JSON] = []

    init(words: String, authority: AuthorityCheck) {
        (self.words, self.authority) = (words, authority)
    }

    /// Take over what the session says of itself.
    mutating func read(_ diagnosis: JSON, _ accounts: [JSON]) {
        (self.diagnosis, self.accounts) = (diagnosis, accounts)
    }

    private var checkIn: String { "mamctl checkin\(words)" }

    private func enroll(_ account: String) -> String { "mamctl enroll \(Finding.quoted(account))\(words)" }

    /// The command after which a session opens. `file` is the one that is damaged, where the error names it.
    func toOpen(_ group: String, status: Int, file: String? = nil) -> String {
        switch status {
        case MAM_ERR_UNSUPPORTED: "fuser -v \(Finding.quoted("\(group)/generation"))  # and end them"
        case MAM_ERR_BUSY: "fuser -v \(Finding.quoted("\(group)/state.db"))  # and end what keeps it locked"
        case MAM_ERR_VERSION: "make install  # of the release that made the state, or a newer one"
        case MAM_ERR_NO_SPACE: Remedy.toFreeSpace(group)
        case MAM_ERR_PERMISSION where Remedy.isOnReadOnlyFileSystem(group): Remedy.toRemount(group)
        case MAM_ERR_PERMISSION: "ls -la \(Finding.quoted(group))  # and give back what is not yours"
        case _ where Remedy.isDamage(status):
            Remedy.toRestore(file.flatMap { $0.hasPrefix("\(group)/") ? $0 : nil } ?? "\(group)/state.db", in: group)
                + "  # \(Remedy.withoutCopy(of: group, words: words))"
        default: "mamctl status\(words)  # once the cause is gone; nothing is lost"
        }
    }

    /// The command that lets a file system be written.
    static func toRemount(_ path: String) -> String {
        "\(Finding.sudo(0))mount -o remount,rw \"$(findmnt -n -o TARGET -T \(Finding.quoted(path)))\""
    }

    private static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        var facts = statvfs()
        return statvfs(path, &facts) == 0 && facts.f_flag & UInt(ST_RDONLY) != 0
    }

    /// The command that puts a copy of a file of the state back.
    static func toRestore(_ file: String, in group: String) -> String {
        let copy = "/PATH/TO/THE/BACKUP\(file.dropFirst(group.count))"
        return "cp -p \(Finding.quoted(copy)) \(Finding.quoted(file))"
    }

    /// The way on where there is no copy of a state. It comes behind `#`, because what only its keys opened is lost.
    static func withoutCopy(of group: String, words: String) -> String {
        let name = Finding.quoted(group)
        // "~" is in no app id, so that the directory counts as no app's.
        return Remedy.toGiveUp(
            "mv \(name) \(Finding.quoted(Finding.unused(group + "~bad"))); mamctl enroll UPN\(words)")
    }

    private static func toGiveUp(_ command: String) -> String {
        "without a copy, losing what only its keys opened: \(command)"
    }

    /// Whether an error says that what was opened is damaged or incomplete. Nothing else is reason to move it away.
    static func isDamage(_ status: Int) -> Bool {
        [
            MAM_ERR_STORAGE, MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION,
        ].contains(status)
    }

    /// The command that shows what fills a file system.
    static func toFreeSpace(_ path: String) -> String {
        let point = Finding.quoted(StateCheck.mount(of: path)?.point ?? "/")
        return
            "df -h \(point); df -i \(point); du -xhd3 \(point) 2>&- | sort -h | tail  # and remove what is not needed"
    }

    /// The commands that take the authority at the path for the known one.
    var acceptingAuthority: String {
        let enrolled = accounts.filter { $0["state"] == .string("enrolled") }
        let again = enrolled.map { enroll($0["upn"].string ?? Text.value($0["accountId"])) }
        return (["mamctl authority forget\(words)"] + again).joined(separator: " && ")
    }

    /// The command for a problem or note of ``StatusProblems``.
    func command(_ problem: JSON) -> String {
        let account = problem["account"].string ?? ""
        let name = Finding.quoted(account)
        switch problem["kind"].string {
        case "status": return command(code: problem["code"].integer ?? 0, account, name)
        case "disabledAccount":
            return authority.deciding("user set \(name) --enabled", then: checkIn)
        case "clock": return "\(Finding.sudo(0))timedatectl set-ntp true; \(checkIn)"
        case "closed": return command(closed: problem)
        case "givenUp":
            return "mamctl status\(words)  # put the former authority back and enroll again; or, "
                + Remedy.toGiveUp(toWipe(givenUp: problem, name))
        case "setting":
            return authority.isAdministrator
                ? authority.administering("policy list")
                    + "  # then: policy export POLICY, and import what was corrected; \(checkIn)"
                : "\(checkIn)  # \(AuthorityCheck.asking)"
        case "deviceHealth", "threatLevel", "deviceLock": return "mamctl health\(words)  # shows each signal"
        case "osVersion", "sdkVersion", "deviceModel":
            return "mamctl launch --account \(name)\(words)  # shows what the policy asks for"
        case "pin": return "mamctl pin reset \(name)\(words)"
        case "credentials": return "mamctl launch\(words)  # and sign in"
        default: return checkIn
        }
    }

    /// Files are known by account ids: an account that has the id of the closed one is wiped first.
    private func toWipe(givenUp problem: JSON, _ name: String) -> String {
        let closed = diagnosis["closedAccounts"].elements.first { $0["message"] == problem["message"] }
        let isHereAgain = accounts.contains { $0["accountId"] == closed?["accountId"] }
        let names = (isHereAgain ? [name] : []) + [closed.map { Text.value($0["account"]) } ?? name]
        let isEnrolled = accounts.contains { $0["upn"] == problem["account"] && $0["state"] == .string("enrolled") }
        let wipes = names.map { "mamctl wipe \($0)\(words)" }  // behind "#", by toGiveUp()
        return (wipes + (isHereAgain || !isEnrolled ? [enroll(problem["account"].string ?? "")] : [])).joined(
            separator: "; ")
    }

    /// By the code of an account's latest request (docs/status-codes.md).
    private func command(code: Int64, _ account: String, _ name: String) -> String {
        let isEnrolled = accounts.contains {
            $0["state"] == .string("enrolled") && [$0["upn"].string, $0["accountId"].string].contains(account)
        }
        let again = isEnrolled ? checkIn : enroll(account)
        switch code {
        case 103, 225:
            return authority.isAdministrator
                ? authority.administering("policy assign POLICY --group GROUP")
                    + "  # if one is to reach the user; then \(again)"
                : "\(again)  # \(AuthorityCheck.asking): no policy reaches the user"
        case 200: return authority.deciding("user set \(name) --licensed", then: again)
        case 203: return signingIn(account, name, again)
        case 209, 210, 211: return givingUp(name)
        case 218:
            let other = accounts.first { $0["state"] == .string("enrolled") }
            return givingUp(Finding.quoted(other.map { $0["upn"].string ?? Text.value($0["accountId"]) } ?? "OTHER"))
        case 220, 221: return signingIn(account, name, again)
        case 222: return authority.deciding("user set \(name) --no-migrating", then: again)
        case 226:
            let tag = Finding.quoted(Text.value(diagnosis["deviceTag"]))
            return authority.deciding("device unblock \(tag)", then: again)
        case 227:
            if let meant = nearestManaged(account) {
                return
                    "mamctl status\(words)  # did you mean \(meant), which is managed here? Then: mamctl unenroll \(name)\(words)"
                    + "; for a second account: mamctl settings set MultiManagedIdentities true\(words)"
            }
            return "mamctl settings set MultiManagedIdentities true\(words) && \(enroll(account))"
                + "  # or, for one account: mamctl unenroll \(name)\(words)"
        default: return again
        }
    }

    /// An account that has to leave: its data is looked at first, because nothing opens it afterwards.
    private func givingUp(_ name: String) -> String {
        "mamctl status\(words)  # save what is needed, then give the account up: mamctl unenroll \(name)\(words)"
    }

    /// The managed account that a misspelt name probably means.
    private func nearestManaged(_ account: String) -> String? {
        let managed = accounts.filter { $0["managed"] == .bool(true) }.compactMap { $0["upn"].string }
        return NearestName.find(Array(account.utf8), among: managed.map { Array($0.utf8) })
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next attempt, with what the user lacks for it.
    private func signingIn(_ account: String, _ name: String, _ again: String) -> String {
        guard !SessionOptions.isService(authority.path) else {
            return "\(again) --invite FILE  # or --token-file FILE, where users sign in"
        }
        let user: JSON?
        do { user = try Library.user(account, of: authority.path) } catch { return again }
        guard let user else {
            let misspelt = "# or, if the name is misspelt: mamctl unenroll \(name)\(words)"
            return Finding.adding(misspelt, to: adding(account, name, again))
        }
        if user["enabled"] == .bool(false) {
            let leaving = "# or, for a person who left: mamctl unenroll \(name)\(words)"
            return Finding.adding(leaving, to: authority.deciding("user set \(name) --enabled", then: again))
        }
        return user["requiresToken"] == .bool(true) ? "\(again) --token-file FILE" : again
    }

    /// A user who was removed comes back under the former account id, in the groups that gave them a policy.
    private func adding(_ account: String, _ name: String, _ again: String) -> String {
        let former = accounts.first { [$0["upn"].string, $0["accountId"].string].contains(account) }
        guard let upn = former?["upn"].string, let id = former?["accountId"].string else {
            return authority.deciding("user add \(name)", then: again)
        }
        let command = authority.deciding(
            "user add \(Finding.quoted(upn)) --account-id \(Finding.quoted(id))", then: again)
        guard authority.isAdministrator else { return command }
        return "\(command)  # after 'mamctl authority group add-member' for each former group"
    }

    /// By the error that closes an account's data.
    private func command(closed problem: JSON) -> String {
        let closed = diagnosis["closedAccounts"].elements.first {
            $0["message"] == problem["message"]
                && problem["account"].string == ($0["upn"].string ?? $0["accountId"].string)
        }
        let group = "\(Text.value(diagnosis["state"]["directory"]))"
        guard let closed, let account = problem["account"].string else {
            return toOpen(group, status: closed?["status"].integer.map { Int($0) } ?? 0)
        }
        let name = Finding.quoted(account)
        let share = Remedy.toRestore("\(group)/shares/\(Text.value(closed["account"]))", in: group)
        let database = Remedy.toRestore("\(group)/state.db", in: group)
        let lost = Remedy.toGiveUp("mamctl wipe \(name)\(words) && \(enroll(account))")
        let (status, detail) = (closed["status"].integer.map(Int.init), closed["detail"])
        switch status {
        case MAM_ERR_DENIED: return givingUp(name)
        case MAM_ERR_KEY_UNAVAILABLE: return "\(share)  # \(lost)"
        case MAM_ERR_TAMPERED where detail["reason"] != .string("regress"):
            switch detail["table"].string {
            case "policies", "configurations": return checkIn
            // The share, without which no row of the account opens, or this row.
            case "accounts": return "\(share)  # if that does not help: \(database); \(lost)"
            default: return "\(database)  # \(lost)"
            }
        case MAM_ERR_TAMPERED: return "\(checkIn)  # or, with the newer copy that this one replaced: \(database)"
        default: return checkIn
        }
    }

    /// Only root can raise a hard limit.
    static var toAllowLockedMemory: String {
        var limit = rlimit()
        let isFree = getrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 && limit.rlim_max == rlim_t.max
        return isFree
            ? "ulimit -l unlimited" : "\(Finding.sudo(0))prlimit --pid $$ --memlock=unlimited:unlimited"
    }
}
