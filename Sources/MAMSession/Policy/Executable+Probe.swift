import CFiles
import MAMPolicy
import MAMSupport

extension Executable {
    /// The program that this process runs.
    static func own() -> Executable? { Executable(process: 0) }

    /// The program that a query names by its path or by a process; nil for other names.
    init?(_ name: AppQuery.Name) {
        switch name {
        case .executable(let path): self.init(at: path)
        case .process(let pid): self.init(process: pid)
        case .app, .scheme: return nil
        }
    }

    /// The program at a path.
    init?(at path: String) {
        var facts = files_executable_t()
        guard files_executable_at(path, &facts) == 0 else { return nil }
        self.init(path, facts)
    }

    /// The program that a process runs; 0 is this one.
    private init?(process pid: Int32) {
        var facts = files_executable_t()
        var length: Int32 = 0
        let path = [UInt8](unsafeUninitializedCapacity: Int(FILES_PATH_BYTES)) { room, count in
            guard let start = room.baseAddress, files_executable_of(pid, start, &length, &facts) == 0 else { return }
            count = Int(length)
        }
        guard !path.isEmpty else { return nil }
        self.init(String(decoding: path, as: UTF8.self), facts)
    }

    private init(_ path: String, _ facts: files_executable_t) {
        self.init(path: path, inode: Int64(truncatingIfNeeded: facts.inode), size: facts.size, changed: facts.changed)
    }
}
