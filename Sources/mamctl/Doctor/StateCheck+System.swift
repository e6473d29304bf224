import Glibc
import MAMValues

/// Facts about files and file systems from the system.
extension StateCheck {
    /// The bytes that a user may still write on the file system of a path; nil where that is not known.
    static func freeBytes(_ path: String) -> Int64? {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return nil }
        let free = Int64(clamping: space.f_bavail).multipliedReportingOverflow(by: Int64(clamping: space.f_frsize))
        return free.overflow ? .max : free.partialValue
    }

    static func firstPresent(above path: String) -> String {
        var parts = path.split(separator: "/").dropLast()
        while !parts.isEmpty, attributes("/" + parts.joined(separator: "/")) == nil { parts.removeLast() }
        return "/" + parts.joined(separator: "/")
    }

    /// The mount that a path is on, and its type.
    static func mount(of path: String) -> (point: String, kind: String)? {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard realpath(path, &real) != nil, let mounts = text("/proc/self/mountinfo") else { return nil }
        let place = String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var found: (point: String, kind: String)?
        for line in lines(mounts) {
            // ID PARENT DEVICE ROOT MOUNTPOINT OPTIONS [FIELD…] - TYPE SOURCE OPTIONS
            let words = line.split(separator: " ")
            guard words.count > 6, let dash = words.firstIndex(of: "-"), dash + 1 < words.count else { continue }
            let point = words[4]
            guard place == point || place.hasPrefix(point == "/" ? "/" : "\(point)/") else { continue }
            // Of several on one point the last is on top.
            if point.count >= found?.point.count ?? 0 { found = (String(point), String(words[dash + 1])) }
        }
        return found
    }

    /// The names in a directory, in order; none where it cannot be listed.
    static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// The lines of the kernel. A path may end with a carriage return.
    static func lines(_ text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    }

    static func text(_ path: String) -> String? {
        (try? Input.file(path, limit: 4 << 20)).map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
    }
}
