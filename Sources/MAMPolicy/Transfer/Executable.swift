import MAMSupport

/// The identity of a program's file in the registry. It changes when the file is modified or replaced.
public struct Executable: Sendable, Equatable {
    /// The file's path.
    public let path: String
    let inode, size, changed: Int64

    /// Creates an identity from the file's `stat` fields.
    public init(path: String, inode: Int64, size: Int64, changed: Int64) {
        self.path = path
        self.inode = inode
        self.size = size
        self.changed = changed
    }

    /// Parses a registry entry; nil if it is malformed.
    init?(json: JSON) {
        guard let path = json["path"]?.string, let inode = json["inode"]?.integer, let size = json["size"]?.integer,
            let changed = json["changed"]?.integer
        else { return nil }
        self.init(path: path, inode: inode, size: size, changed: changed)
    }

    /// The form in a registry entry.
    var json: JSON {
        ["path": .string(path), "inode": .integer(inode), "size": .integer(size), "changed": .integer(changed)]
    }

    /// Returns whether both are the same unmodified file, under any path.
    public func isSameFile(as other: Executable) -> Bool {
        inode == other.inode && size == other.size && changed == other.changed
    }

    /// Whether the program is an interpreter. Its executable does not identify the program that it runs.
    public var runsOthers: Bool {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] }
        let letters = Array(name ?? path.utf8[...])
        return Executable.interpreters.contains { interpreter in
            guard letters.starts(with: interpreter.utf8) else { return false }
            // Accepts "python3.12", "perl5.38.2" and "lua5.4", but not "pythonista".
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
