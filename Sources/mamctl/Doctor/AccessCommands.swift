import Glibc

/// Commands that change who may use a file.
enum AccessCommands {
    /// The first directory above a path, or the file itself, that keeps this user from reading the file, which exists; nil where they may, or
    /// where something else is wrong.
    private static func obstacle(_ path: String) -> (place: String, facts: stat, right: String, bit: mode_t)? {
        for directory in directories(above: path) where access(directory, X_OK) != 0 {
            guard errno == EACCES, let facts = attributes(directory, follows: true) else { return nil }
            return (directory, facts, "x", S_IXGRP)
        }
        guard access(path, R_OK) != 0, errno == EACCES, let facts = attributes(path, follows: true) else { return nil }
        return (path, facts, "r", S_IRGRP)
    }

    /// The command that lets every user read a file of the system.
    static func toReadPublicFile(_ path: String) -> String? {
        obstacle(path).map { toOpen($0.place, $0.facts, $0.right, $0.bit, isPublic: true) }
    }

    /// The command that lets this user read a file of their own. Where it is in the directory of somebody else, HOME is wrong.
    static func toReadOwnFile(_ path: String) -> String? {
        guard let (place, facts, right, bit) = obstacle(path) else { return nil }
        guard facts.st_uid != geteuid() else { return toOpen(place, facts, right, bit, isPublic: false) }
        let above = directories(above: place).last ?? "/"
        guard attributes(above, follows: true)?.st_uid != geteuid() else {
            return "\(Finding.sudo(0))chown \(geteuid()) \(Finding.quoted(place))"
        }
        return getenv("XDG_CONFIG_HOME") == nil
            ? "export HOME=$(getent passwd $(id -u) | cut -d: -f6)" : "unset XDG_CONFIG_HOME"
    }

    /// The command that lets this user read an authority, by a group. A directory that is closed, perhaps because of other files
    /// in it, is looked at first.
    static func toReadAuthority(_ path: String) -> String? {
        guard let (place, facts, right, bit) = obstacle(path), SecretFile(path) == nil else { return nil }
        let isRoots = facts.st_gid == 0
        if right == "r" {
            // An authority has its key beside it.
            guard attributes(AuthorityCheck.resolved(path) + ".key") != nil else { return nil }
            return toTakeBack(path) ?? toOpen(place, facts, right, bit, isPublic: false)
        }
        let open = toOpen(place, facts, right, bit, isPublic: isRoots)
        guard facts.st_uid != geteuid(), isRoots || facts.st_mode & bit == 0 else { return open }
        return
            "\(Finding.sudo(facts.st_uid))ls -la \(Finding.quoted(place))  # and if others are to reach an authority there: \(open)"
    }

    /// The command that keeps others than root and the owner of an authority from changing its file or putting another in its place;
    /// nil where none is needed. It looks at the file and the directories above it, not at links on the way. The owner is that of the
    /// key file, which was not given away with the authority.
    static func toProtect(_ path: String) -> String? {
        guard let file = attributes(path, follows: true) else { return nil }
        let above = directories(above: path)
        // A key file alone that belongs to somebody else is what has to be given back.
        let isKept = above.last.flatMap { attributes($0, follows: true) }?.st_uid == file.st_uid
        let owner = isKept ? file.st_uid : attributes(path + ".key", follows: true)?.st_uid ?? file.st_uid
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
            // A copy that came back as root's, in the directory of the system's user who keeps it.
            if place == above.last, owner == 0, 1..<1000 ~= facts.st_uid {
                return toGive(path, to: facts)
            }
            if ![0, owner].contains(facts.st_uid) {
                // The owner needs the directory, for SQLite's journal. One with other files is not given away.
                guard place == above.last, holdsOnly(path) else {
                    return
                        "namei -l \(Finding.quoted(path))  # and move the authority to where only root and its owner can put files"
                }
                return give(place, to: owner)
            }
        }
        return nil
    }

    /// The command that gives an authority, a copy that came back as root's, to this user, who keeps its directory; nil for any other.
    static func toTakeBack(_ path: String) -> String? {
        let file = AuthorityCheck.resolved(path)
        guard attributes(file)?.st_uid == 0, geteuid() != 0,
            let directory = directories(above: file).last.flatMap({ attributes($0, follows: true) }),
            directory.st_uid == geteuid()
        else { return nil }
        return toGive(file, to: directory)
    }

    /// The command that gives an authority and its key to the user and group of their directory.
    static func toGive(_ path: String, to directory: stat) -> String {
        let files = "\(Finding.quoted(path)) \(Finding.quoted(path + ".key"))"
        return "\(Finding.sudo(0))chown \(directory.st_uid):\(directory.st_gid) \(files)"
    }

    /// Whether others than an authority's owner can change it, so that somebody has to look. On a file of their own, people know
    /// about a group; on one that an administrator keeps for them it is a fault.
    static func isOpenToOthers(_ path: String) -> Bool {
        guard toProtect(path) != nil, let file = attributes(path, follows: true) else { return false }
        let isOpenToAll = ([path] + directories(above: path)).contains { place in
            guard let facts = attributes(place, follows: true) else { return false }
            return facts.st_mode & 0o002 != 0 && (facts.st_mode & S_ISVTX == 0 || place == path)
        }
        return isOpenToAll || file.st_uid != geteuid()
    }

    /// Whether the directory of an authority has nothing else in it.
    static func holdsOnly(_ authority: String) -> Bool {
        let name = String(decoding: authority.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        let names = StateCheck.names(directories(above: authority).last ?? "/")
        return !names.isEmpty && names.allSatisfy { $0.hasPrefix(name) }
    }

    private static func toOpen(
        _ path: String, _ facts: stat, _ right: String, _ bit: mode_t, isPublic: Bool
    ) -> String {
        let (name, sudo) = (Finding.quoted(path), Finding.sudo(facts.st_uid))
        guard facts.st_uid != geteuid() else { return "chmod u+\(right) \(name)" }
        guard !isPublic else { return "\(sudo)chmod a+\(right) \(name)" }
        let allow = facts.st_mode & bit == 0 ? ["\(sudo)chmod g+\(right) \(name)"] : []
        guard !isMember(of: facts.st_gid) else { return allow.joined() }
        let directory = directories(above: path).last.flatMap { attributes($0, follows: true) }
        // The group of root is not one to join.
        let own = groupName(facts.st_gid)
        // The directory's group is the one that reads what is in it.
        let shared = directory.flatMap { groupName($0.st_gid) }
        let group = Finding.quoted(own ?? shared ?? "mam-users")
        let found = own == nil ? ["sudo groupadd -f \(group)", "sudo chgrp \(group) \(name)"] : []
        if own == nil, let directory, shared != nil, isMember(of: directory.st_gid) {
            return (found + allow).joined(separator: " && ")
        }
        // By name, because another user may run the command.
        let user = getpwuid(geteuid())?.pointee.pw_name.map { String(cString: $0) } ?? "USER"
        let join =
            "sudo usermod -a -G \(group) \(Finding.quoted(user))  # for a person with a work account, who logs in again"
        return (found + allow + [join]).joined(separator: " && ")
    }

    private static func groupName(_ group: gid_t) -> String? {
        group == 0 ? nil : getgrgid(group)?.pointee.gr_name.map { String(cString: $0) }
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
