import CFiles
import MAMSupport

extension AuthorityFile {
    /// Determined by ``developmentReason``. A user who owns the file can make it writable; one who can write its directory can
    /// replace it, or add a journal that changes it; one who can write a directory above can put another file in its place.
    var custody: Custody { developmentReason == nil ? .administered : .development }

    /// Why this user, or others than the file's owner and root, can change what the authority says, on one line; nil where they
    /// cannot. Others come first: they are what an administrator has to look at.
    var developmentReason: String? {
        var facts = files_stat_t()
        guard files_stat(path, &facts) == 0 else { return "the file cannot be looked at" }
        if let others = otherWriters(than: facts) { return others }
        guard facts.owner != access.user() else { return "this user owns the file" }
        guard !access.isWritable(path) else { return "this user can write the file" }
        guard !access.isWritable(directory) else { return "this user can write the directory" }
        return nil
    }

    /// Why others than root and the file's owner can change the file or put another in its place; nil where they cannot.
    private func otherWriters(than facts: files_stat_t) -> String? {
        guard facts.mode & 0o002 == 0 else { return "every user can write the file" }
        guard facts.mode & 0o020 == 0 else { return "the file's group can write it" }
        var found = files_stat_t()
        var place = [CChar](repeating: 0, count: 4096)
        let result = files_trusted_path(path, facts.owner, &found, &place, place.count)
        guard result == 0 else {
            guard result == Int32(FILES_EPERM) else { return "the way to the file cannot be looked at" }
            return "others than root and the file's owner can change \(String(repairing: place))"
        }
        guard found.device == facts.device, found.inode == facts.inode else { return "the file was replaced just now" }
        return nil
    }
}
