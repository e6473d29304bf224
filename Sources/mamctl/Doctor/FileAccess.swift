import Glibc

/// Commands that change who may use a file.
enum FileAccess {
    /// The command that lets this user read a file which exists; nil where they may, or where something else is wrong.
    /// `isPublic`: every user is to read it; otherwise this one, by a group.
    static func reading(_ path: String, isPublic: Bool) -> String? {
        for directory in directories(above: path) where access(directory, X_OK) != 0 {
            guard errno == EACCES, let facts = attributes(directory, follows: true) else { return nil }
            return opening(directory, facts, "x", S_IXGRP, isPublic: isPublic || facts.st_gid == 0)
        }
        guard access(path, R_OK) != 0, errno == EACCES, let facts = attributes(path, follows: true) else { return nil }
        return opening(path, facts, "r", S_IRGRP, isPublic: isPublic)
    }

    /// The command that keeps others than root and the owner of an authority from changing its file or putting another in its place;
    /// nil where none is needed. It looks at the file and the directories above it, not at links on the way. The owner is that of the
    /// key file, which was not given away with the authority.
    static func closing(_ path: String) -> String? {
        guard let file = attributes(path, follows: true) else { return nil }
        let above = directories(above: path)
        let owner = attributes(path + ".key", follows: true)?.st_uid ?? file.st_uid
        func give(_ place: String, to user: uid_t) -> String {
            "\(Finding.sudo(0))chown \(user == 0 ? "root" : "\(user)") \(Finding.quoted(place))"
        }
        for place in [path] + above.reversed() {
            guard let facts = attributes(place, follows: true) else { return nil }
            let sudo = Finding.sudo(facts.st_uid)
            // A sticky directory lets nobody replace what another user owns.
            if facts.st_mode & 0o022 != 0, facts.st_mode & S_ISVTX == 0 || place == path {
                return "\(sudo)chmod go-w \(Finding.quoted(place))"
            }
            if place == path, facts.st_uid != owner { return give(place, to: owner) }
            if ![0, owner].contains(facts.st_uid) {
                // The owner needs the directory, for SQLite's journal.
                return give(place, to: place == above.last ? owner : 0)
            }
        }
        return nil
    }

    /// Whether others than an authority's owner can change it, so that somebody has to look. On a file of their own, people know
    /// about a group; on one that an administrator keeps for them it is a fault.
    static func isOpenToOthers(_ path: String) -> Bool {
        guard closing(path) != nil, let file = attributes(path, follows: true) else { return false }
        let isOpenToAll = ([path] + directories(above: path)).contains { place in
            guard let facts = attributes(place, follows: true) else { return false }
            return facts.st_mode & 0o002 != 0 && (facts.st_mode & S_ISVTX == 0 || place == path)
        }
        return isOpenToAll || file.st_uid != geteuid()
    }

    private static func opening(
        _ path: String, _ facts: stat, _ right: String, _ bit: mode_t, isPublic: Bool
    ) -> String {
        let (name, sudo) = (Finding.quoted(path), Finding.sudo(facts.st_uid))
        guard facts.st_uid != geteuid() else { return "chmod u+\(right) \(name)" }
        guard !isPublic else { return "\(sudo)chmod a+\(right) \(name)" }
        let allow = facts.st_mode & bit == 0 ? ["\(sudo)chmod g+\(right) \(name)"] : []
        guard !isMember(of: facts.st_gid) else { return allow.joined() }
        // The group of root is not one to join.
        let own = facts.st_gid == 0 ? nil : getgrgid(facts.st_gid)?.pointee.gr_name.map { String(cString: $0) }
        let group = Finding.quoted(own ?? "mam-users")
        let found = own == nil ? ["sudo groupadd -f \(group)", "sudo chgrp \(group) \(name)"] : []
        let join = "sudo usermod -a -G \(group) $(id -un)  # and log in again"
        return (found + allow + [join]).joined(separator: " && ")
    }

    private static func isMember(of group: gid_t) -> Bool {
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: max(0, Int(count)))
        let found = getgroups(count, &groups)
        return getegid() == group || groups.prefix(max(0, Int(found))).contains(group)
    }

    /// The directories above an absolute path, from the root on.
    static func directories(above path: String) -> [String] {
        path.split(separator: "/").dropLast().reduce(into: ["/"]) { found, part in
            found.append((found.last == "/" ? "" : found.last ?? "") + "/\(part)")
        }
    }
}
