import Glibc

/// A path that was given as an authority's, and is that of a file for its owner alone: a key, a file of a state or of a service. Nothing
/// proposes to open such a file to others.
struct SecretFile {
    /// The kind of file, to follow its path in a message.
    let message: String
    /// The authority whose file it is; nil where that is not known.
    let authority: String?

    /// nil for any other file, and for one that cannot be looked at.
    init?(_ path: String) {
        let path = AuthorityCheck.resolved(path)
        guard let facts = attributes(path), attributes(path + ".key") == nil, !AuthorityCheck.isAuthority(path) else {
            return nil
        }
        let folder = AccessCommands.directories(above: path).last ?? "/"
        let beside = folder == "/" ? "/" : "\(folder)/"
        let isKey =
            path.hasSuffix(".key")
            || SecretFile.kinds.contains { kind in
                Input.beginning(of: path, kind.utf8.count).map { $0.elementsEqual(kind.utf8) } ?? false
            }
        let main = path.hasSuffix(".key") ? String(path.dropLast(".key".count)) : nil
        if let main, attributes(main) != nil {
            message = "is the secret key of the authority \(main), which is beside it: only its owner may read the key"
            authority = main
        } else if isKey {
            (message, authority) = ("is a secret key, which only its owner may read, and no authority", nil)
        } else if facts.st_mode & S_IFMT == S_IFSOCK {
            (message, authority) = ("is a socket: apps take the file of settings that mamd settings prints", nil)
        } else if attributes("\(beside)root.key") != nil || folder.hasSuffix("/shares") {
            (message, authority) = ("is of an app's state, which only its owner may read, and no authority", nil)
        } else if attributes("\(beside)mamd.json") != nil {
            (message, authority) = ("is a service's own: apps take the file of settings that mamd settings prints", nil)
        } else {
            return nil
        }
    }

    /// The first bytes of keys (docs/formats.md).
    private static let kinds = ["MAMAUTH1", "MAMROOT1", "libmam recovery key "]
}
