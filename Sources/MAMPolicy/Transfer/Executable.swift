import MAMSupport

/// A program's file, as an app enters it: the same as long as nobody changes or replaces it.
public struct Executable: Sendable, Equatable {
    /// Where it is.
    public let path: String
    let inode, size, changed: Int64

    /// A file as the system tells of it.
    public init(path: String, inode: Int64, size: Int64, changed: Int64) {
        self.path = path
        self.inode = inode
        self.size = size
        self.changed = changed
    }

    /// From an entry; nil where it is none.
    init?(json: JSON) {
        guard let path = json["path"]?.string, let inode = json["inode"]?.integer, let size = json["size"]?.integer,
            let changed = json["changed"]?.integer
        else { return nil }
        self.init(path: path, inode: inode, size: size, changed: changed)
    }

    /// As an entry keeps it.
    var json: JSON {
        ["path": .string(path), "inode": .integer(inode), "size": .integer(size), "changed": .integer(changed)]
    }

    /// Whether both are one file in one state, by whatever path.
    public func isSameFile(as other: Executable) -> Bool {
        inode == other.inode && size == other.size && changed == other.changed
    }

    /// Whether it runs any program that it is given: then it says nothing of which one.
    public var runsOthers: Bool {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] }
        let letters = Array(name ?? path.utf8[...])
        return Executable.interpreters.contains { interpreter in
            guard letters.starts(with: interpreter.utf8) else { return false }
            // "python3.12", "perl5.38.2", "lua5.4", and not "pythonista".
            return letters.dropFirst(interpreter.utf8.count).allSatisfy { $0 < 0x3A && $0 >= 0x2D }
        }
    }

    private static let interpreters = [
        "python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "java", "mono", "dotnet", "php", "lua",
        "luajit",
        "tclsh", "wish", "guile", "gjs", "R", "julia", "electron", "sh", "bash", "dash", "zsh", "ksh", "fish",
        "busybox",
        "mamctl", "ld-linux-x86-64.so.", "ld-linux-aarch64.so.", "wine", "qemu-x86_64", "qemu-aarch64",
    ]
}
