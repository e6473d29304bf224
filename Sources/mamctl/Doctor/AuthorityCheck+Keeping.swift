import CMam
import Glibc
import MAMValues

/// The look of the authority's owner: what keeps it from being changed, or from being read by others.
extension AuthorityCheck {
    /// The key file is not given away with the authority, so its owner is to have both. Returns whether they have.
    mutating func checkOwner(_ authority: stat) -> Bool {
        guard attributes(resolved + ".key")?.st_uid == geteuid(), authority.st_uid != geteuid() else { return true }
        add(
            "belongs to user \(authority.st_uid), so the owner of its key file cannot change it",
            "\(Finding.sudo(0))chown \(geteuid()) \(Finding.quoted(resolved))", .warning)
        return false
    }

    /// Everybody sees the key file's rights; the rest is for the authority's owner, who alone needs it.
    mutating func checkKey(of authority: stat) {
        let file = resolved + ".key"
        let facts = attributes(file)
        if let facts, facts.st_mode & 0o077 != 0 {
            add(
                "others may use the key file", "\(Finding.sudo(facts.st_uid))chmod 600 \(Finding.quoted(file))",
                .warning,
                file)
        }
        guard authority.st_uid == geteuid() else { return }
        checkDirectory()
        guard let facts else {
            return add(
                "its key file is missing: the authority can be read, not changed",
                "cp -p /PATH/TO/THE/BACKUP.key \(Finding.quoted(file))", .warning, file)
        }
        guard facts.st_uid != geteuid() else { return }
        // A file that was given away has left its key behind.
        let isGivenAway = geteuid() == 0
        let (owner, given) = isGivenAway ? (facts.st_uid, resolved) : (geteuid(), file)
        add(
            "the key file belongs to user \(facts.st_uid)",
            "\(Finding.sudo(0))chown \(owner) \(Finding.quoted(given))", .warning, file)
    }

    /// SQLite makes a journal beside the file for each change.
    private mutating func checkDirectory() {
        let place = AccessCommands.directories(above: resolved).last ?? "/"
        guard access(place, W_OK | X_OK) != 0 else { return }
        guard errno != EROFS else {
            return add(
                "its file system is read-only, so the authority can be read, not changed",
                Remedy.toRemount(place), .warning, place)
        }
        guard let facts = attributes(place, follows: true) else { return }
        let isOwn = facts.st_uid == geteuid()
        let give = "\(Finding.sudo(0))chown \(geteuid()) \(Finding.quoted(place))"
        add(
            "its owner may not write the directory, so the authority can be read, not changed",
            isOwn
                ? "chmod u+wx \(Finding.quoted(place))"
                : AccessCommands.holdsOnly(resolved)
                    ? give : "ls -la \(Finding.quoted(place))  # and if it is the authority's alone: \(give)",
            .warning, place)
    }

    /// Readers and the disk. A directory with the set-group-ID bit is kept for a group: its members read the file, and nobody else.
    mutating func checkKeeping(_ authority: stat) {
        let place = AccessCommands.directories(above: resolved).last ?? "/"
        guard let directory = attributes(place, follows: true) else { return }
        guard authority.st_uid == geteuid() else {
            guard let take = AccessCommands.toTakeBack(resolved) else { return }
            return add("belongs to root, so this user, who keeps its directory, cannot change it", take, .warning)
        }
        if let free = StateCheck.freeBytes(place), free < StateCheck.leastFree {
            add(
                "its disk has \(free >> 10) KiB left: a change needs more, and so does a check-in that is recorded here",
                Remedy.toFreeSpace(place), .warning, place)
        }
        let isKept = directory.st_mode & S_ISGID != 0
        if let close = AccessCommands.toProtect(resolved), isKept || AccessCommands.isOpenToOthers(resolved) {
            add(
                "others than its owner can change it, or put another in its place, and with it the policy", close,
                .warning)
        }
        guard isKept else { return }
        let (file, folder) = (Finding.quoted(resolved), Finding.quoted(place))
        if directory.st_mode & 0o010 == 0 {
            add("its group may not reach the authority", "chmod g+x \(folder)", .warning, place)
        }
        if authority.st_gid != directory.st_gid {
            add("is not of its directory's group, which reads it", "chgrp \(directory.st_gid) \(file)", .warning)
        }
        if authority.st_mode & 0o040 == 0 {
            add("its group may not read it, so nobody can enroll or check in", "chmod g+r \(file)", .warning)
        }
        if authority.st_mode & 0o004 != 0 {
            add("others than its group may read it, where they reach it", "chmod o-r \(file)", .warning)
        }
    }

    /// Whoever reads an authority can lock it, and a change then fails. Locks of a request or a copy last for less than two seconds.
    private mutating func checkLock() {
        let file = open(resolved, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        for _ in 0..<20 {
            var lock = flock(
                l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0000, l_len: 512, l_pid: 0)
            guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return }
            usleep(100_000)
        }
        add(
            "a process keeps it locked, so users, policies and wipes cannot be changed",
            "\(Finding.sudo(0))fuser -v \(Finding.quoted(resolved))  # and end the process that keeps it locked",
            .warning)
    }

    /// A change reads the key and verifies every row first. This one finds no wipe to cancel, and is taken back.
    mutating func checkChange() {
        let key = resolved + ".key"
        guard access(path, W_OK) == 0, attributes(key) != nil else { return }
        checkLock()
        do {
            _ = try Library.administer(path, #"{"action":"wipe.cancel","wipe":9223372036854775807}"#)
        } catch {
            let status = Int(mam_last_status())
            let message = error.libraryMessage(path)
            if message.hasPrefix("\(key): ") {
                guard Remedy.isDamage(status) else { return }
                add(error.libraryMessage(key), replacing(key, by: "BACKUP.key"), .warning, key)
            } else if status == MAM_ERR_TAMPERED {
                add(message, restoringChanged)
            } else if status == MAM_ERR_NO_SPACE {
                add(message, Remedy.toFreeSpace(path), .warning)
            }
        }
    }
}
