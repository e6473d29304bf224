import CMam
import Glibc
import MAMValues

/// Work data whose keys the state does not have: those of a state that is lost, or of an account that has left.
struct DataCheck {
    /// Data of one account, and of one form.
    private struct Lost: Hashable, Comparable {
        let account: String
        /// A container has no label of an app.
        let isContainer: Bool

        static func < (a: Lost, b: Lost) -> Bool {
            a.account == b.account ? !a.isContainer && b.isContainer : a.account < b.account
        }
    }

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
        try Session.open(options.takenAsMeant) { session in
            for path in paths {
                var counts: [Lost: Int] = [:]
                try FileWalk.each(path) { file, _, failure in
                    // A file that cannot be read is a matter of the program that keeps it.
                    guard failure == nil,
                        let lost = DataCheck.lostFile(file, app, session) ?? DataCheck.lostContainer(file, session)
                    else { return }
                    counts[lost, default: 0] += 1
                }
                for (lost, count) in counts.sorted(by: { $0.key < $1.key }) where !DataCheck.isWiped(lost, session) {
                    add(path, lost, count, state, exists: !isNew)
                }
            }
        }
    }

    /// Whether the account was wiped here: a copy of the state from before would open what is not to be opened.
    private static func isWiped(_ lost: Lost, _ session: Session) -> Bool {
        let reply = try? session.text { mam_former_account($0, lost.account, $1) }
        return reply.flatMap { try? JSON(parsing: $0) }?["end"] == .string("wiped")
    }

    /// The owner of a file of this app whose label no key verifies; nil for any other file.
    private static func lostFile(_ path: UnsafePointer<CChar>, _ app: String, _ session: Session) -> Lost? {
        guard let reply = try? session.text({ mam_file_info($0, path, $1) }), let facts = try? JSON(parsing: reply),
            facts["app"].string == app, facts["authenticated"] == .bool(false), let account = facts["accountId"].string,
            !account.isEmpty
        else { return nil }
        return Lost(account: account, isContainer: false)
    }

    /// The account of a file that is a container, as `mamctl protect` makes it, without its key; nil for any other file.
    private static func lostContainer(_ path: UnsafePointer<CChar>, _ session: Session) -> Lost? {
        let bytes = Input.beginning(of: path, atMost: Int(MAM_PROTECT_OVERHEAD))
        guard !bytes.isEmpty,
            let reply = try? session.text({ mam_protection_info_prefix($0, bytes, bytes.count, $1) }),
            let facts = try? JSON(parsing: reply), facts["encrypted"] == .bool(true),
            facts["authenticated"] == .bool(false), let account = facts["accountId"].string, !account.isEmpty
        else { return nil }
        return Lost(account: account, isContainer: true)
    }

    private mutating func add(_ path: String, _ lost: Lost, _ count: Int, _ state: String, exists: Bool) {
        let (name, place) = (Finding.quoted(lost.account), Finding.quoted(state))
        let backup = "cp -a /PATH/TO/THE/BACKUP \(place)"
        // Where the state is, cp would make a directory in it.
        let away = exists ? "mv \(place) \(Finding.quoted(Finding.unused(state + "~new"))) && " : ""
        let form = lost.isContainer ? "container" : "file"
        let cause =
            lost.isContainer
            ? "it is lost, the account has left, or another app has protected it"
            : "it is lost, or the account has left"
        findings.append(
            Finding(
                check: "data",
                message:
                    "\(count) \(form)\(count == 1 ? "" : "s") of \(lost.account), whose keys the state does not have: \(cause)",
                subject: path,
                command:
                    "\(away)\(backup)  # or, without a backup, remove the files and mamctl enroll \(name): nothing else opens them"
            ))
    }
}
