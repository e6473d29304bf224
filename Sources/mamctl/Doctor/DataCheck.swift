import CMam
import Glibc
import MAMValues

/// Work data whose keys the state does not have: those of a state that is lost, or of an account that has left.
struct DataCheck {
    private(set) var findings: [Finding] = []

    /// Look through directories. Without a state, a temporary one reads the owners of files, so that looking makes none.
    init(_ paths: [String], _ options: SessionOptions, state: String, exists: Bool) throws {
        guard !paths.isEmpty else { return }
        guard !exists else {
            try look(paths, options, state, isNew: false)
            return
        }
        var found = self
        try options.withTemporaryState { try found.look(paths, $0, state, isNew: true) }
        self = found
    }

    private mutating func look(_ paths: [String], _ options: SessionOptions, _ state: String, isNew: Bool) throws {
        let (app, _) = try options.appAndGroup()
        try Session.open(options) { session in
            let hasAccounts = try session.text { mam_registered_accounts($0, $1) } != "[]"
            for path in paths {
                var counts: [String: Int] = [:]
                try FileWalk.each(path) { file, _, failure in
                    // A file that cannot be read is a matter of the program that keeps it.
                    guard failure == nil, let reply = try? session.text({ mam_file_info($0, file, $1) }),
                        let facts = try? JSON(parsing: reply), facts["app"].string == app,
                        facts["authenticated"] == .bool(false), let account = facts["accountId"].string,
                        !account.isEmpty
                    else { return }
                    counts[account, default: 0] += 1
                }
                for (account, count) in counts.sorted(by: { $0.key < $1.key }) {
                    add(path, account, count, state, hasAccounts && !isNew)
                }
            }
        }
    }

    private mutating func add(_ path: String, _ account: String, _ count: Int, _ state: String, _ hasAccounts: Bool) {
        let (name, place) = (Finding.quoted(account), Finding.quoted(state))
        let backup = "cp -a /PATH/TO/THE/BACKUP \(place)"
        let away = hasAccounts ? "mv \(place) \(Finding.quoted(state + ".new")) && " : ""
        findings.append(
            Finding(
                check: "data",
                message:
                    "\(count) \(count == 1 ? "file" : "files") of \(account), whose keys the state does not have: it is lost, or "
                    + "the account has left",
                subject: path,
                command:
                    "\(away)\(backup)  # or, without a backup, remove the files and mamctl enroll \(name): nothing else opens them"
            ))
    }
}
