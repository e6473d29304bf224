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

    /// The command after which a session opens.
    func opening(_ group: String, status: Int) -> String {
        switch status {
        case MAM_ERR_UNSUPPORTED: "fuser -v \(Finding.quoted("\(group)/generation"))  # and end them"
        case MAM_ERR_BUSY: "fuser -v \(Finding.quoted("\(group)/state.db"))  # and end what keeps it locked"
        case MAM_ERR_VERSION: "make install  # of the release that made the state, or a newer one"
        case MAM_ERR_NO_SPACE: Remedy.freeing(group)
        case MAM_ERR_PERMISSION: "ls -la \(Finding.quoted(group))  # and give back what is not yours"
        case _ where Remedy.isDamage(status):
            "mv \(Finding.quoted(group)) \(Finding.quoted(group + ".bad"))"
                + "  # and put the newest copy here, or enroll again: what only its keys opened is lost"
        default: "mamctl status\(words)  # once the cause is gone; nothing is lost"
        }
    }

    /// Whether an error says that what was opened is damaged or incomplete. Nothing else is reason to move it away.
    static func isDamage(_ status: Int) -> Bool {
        [
            MAM_ERR_STORAGE, MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION,
        ].contains(status)
    }

    /// The command that shows what fills a file system.
    static func freeing(_ path: String) -> String {
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
            return "\(authority.administering("user set \(name) --enabled")) && \(checkIn)"
        case "clock": return "\(Finding.sudo(0))timedatectl set-ntp true; \(checkIn)"
        case "closed": return command(closed: problem)
        default: return checkIn
        }
    }

    /// By the code of an account's latest request (docs/status-codes.md).
    private func command(code: Int64, _ account: String, _ name: String) -> String {
        let isEnrolled = accounts.contains {
            $0["state"] == .string("enrolled") && [$0["upn"].string, $0["accountId"].string].contains(account)
        }
        let again = isEnrolled ? checkIn : enroll(account)
        switch code {
        case 103, 225:
            return authority.administering("policy assign POLICY --group GROUP")
                + "  # if one is to reach the user; then \(enroll(account))"
        case 200: return "\(authority.administering("user set \(name) --licensed")) && \(again)"
        case 203: return signingIn(account, name, again)
        case 209, 210, 211: return "mamctl unenroll \(name)\(words)"
        case 218:
            let other = accounts.first { $0["state"] == .string("enrolled") }
            let leaving = other.map { $0["upn"].string ?? Text.value($0["accountId"]) } ?? "OTHER"
            return "mamctl unenroll \(Finding.quoted(leaving))\(words) && \(again)"
        case 221: return "mamctl unenroll \(name)\(words)  # --wipe removes its data"
        case 222: return "\(authority.administering("user set \(name) --no-migrating")) && \(again)"
        case 226:
            let tag = Finding.quoted(Text.value(diagnosis["deviceTag"]))
            return "\(authority.administering("device unblock \(tag)")) && \(again)"
        case 227:
            return "mamctl unenroll \(name)\(words)  # or allow several: "
                + "mamctl settings set MultiManagedIdentities true\(words)"
        default: return again
        }
    }

    /// The next attempt, with what the user lacks for it.
    private func signingIn(_ account: String, _ name: String, _ again: String) -> String {
        let request = JSON.members(["action": .string("user.show"), "user": .string(account)])
        do {
            let user = try JSON(parsing: Library.administer(authority.path, request.text))
            if user["enabled"] == .bool(false) {
                return "\(authority.administering("user set \(name) --enabled")) && \(again)"
            }
            return user["requiresToken"] == .bool(true) ? "\(again) --token-file FILE" : again
        } catch {
            guard mam_last_status() == MAM_ERR_NOT_FOUND else { return again }
            return "\(authority.administering("user add \(name)")) && \(again)"
        }
    }

    /// By the error that closes an account's data.
    private func command(closed problem: JSON) -> String {
        let closed = diagnosis["closedAccounts"].elements.first {
            $0["message"] == problem["message"]
                && problem["account"].string == ($0["upn"].string ?? $0["accountId"].string)
        }
        let group = "\(Text.value(diagnosis["state"]["directory"]))"
        guard let closed, let account = problem["account"].string else {
            return opening(group, status: closed?["status"].integer.map { Int($0) } ?? 0)
        }
        let name = Finding.quoted(account)
        let anew = "mamctl wipe \(name)\(words) && \(enroll(account))"
        let (status, detail) = (closed["status"].integer.map(Int.init), closed["detail"])
        switch status {
        case MAM_ERR_DENIED: return "mamctl unenroll \(name)\(words)"
        case MAM_ERR_KEY_UNAVAILABLE:
            let share = "shares/\(Text.value(closed["account"]))"
            return "cp -p \(Finding.quoted("/PATH/TO/THE/BACKUP/\(share)")) \(Finding.quoted("\(group)/\(share)"))"
                + "  # without a copy: \(anew)"
        case MAM_ERR_TAMPERED where detail["reason"] != .string("regress"):
            let isRenewed = ["policies", "configurations"].contains(detail["table"].string)
            let loss = "  # what only its keys opened is lost; the newest copy of the state has it"
            return isRenewed ? checkIn : anew + loss
        default: return checkIn
        }
    }

    /// Only root can raise a hard limit.
    static var lockingMemory: String {
        var limit = rlimit()
        let isFree = getrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 && limit.rlim_max == rlim_t.max
        return isFree
            ? "ulimit -l unlimited" : "\(Finding.sudo(0))prlimit --pid $$ --memlock=unlimited:unlimited"
    }
}
