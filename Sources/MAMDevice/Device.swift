import CPlatform
import MAMSupport

/// A computer to look at: this one, or a tree of files that was captured on another.
public struct Device: Sendable {
    /// Where `/` is; "" is the root itself.
    let root: String
    let process: ProcessRights

    /// A device below a folder.
    public init(root: String, process: ProcessRights = .own) {
        self.root = root
        self.process = process
    }

    /// This computer, and this process.
    public static let own = Device(root: "")

    /// What came of reading a file.
    enum Contents {
        case bytes([UInt8])
        case missing
        /// Why it could not be read.
        case unreadable(String)
    }

    /// A file of at most `limit` bytes. What hangs or has no end is not waited for.
    func read(_ path: String, limit: Int) -> Contents {
        // Most are short: room for a long one is made only where there is one.
        var capacity = min(limit, 16384)
        while true {
            var count = 0
            var result: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
                guard let base = buffer.baseAddress else { return }
                result = platform_read_path(root + path, base, capacity, &count)
                used = result == 0 ? count : 0
            }
            switch Int(result) {
            case 0: return .bytes(bytes)
            case PLATFORM_EFBIG where capacity < limit: capacity = min(limit, capacity * 8)
            case PLATFORM_EFBIG: return .unreadable("it is longer than \(limit) bytes")
            case PLATFORM_ENOENT, PLATFORM_ENOTDIR: return .missing
            case PLATFORM_EACCES, PLATFORM_EPERM: return .unreadable("this user may not read it")
            case PLATFORM_EISDIR: return .unreadable("it is a directory")
            default: return .unreadable("it cannot be read (errno \(result))")
            }
        }
    }

    /// The names in a folder, sorted, at most a thousand; nil where it cannot be listed.
    func list(_ path: String) -> [String]? {
        var descriptor: Int32 = -1
        guard platform_open_directory(root + path, &descriptor) == 0 else { return nil }
        defer { platform_close(descriptor) }
        var names: [String] = []
        let result = withUnsafeMutablePointer(to: &names) { names in
            platform_list(descriptor, names) { names, name in
                guard let names = names?.assumingMemoryBound(to: [String].self), names.pointee.count < 1000 else {
                    return
                }
                names.pointee.append(String(nulTerminated: name))
            }
        }
        return result == 0 ? names.sorted() : nil
    }

    /// Whether there is anything at a path.
    func has(_ path: String) -> Bool {
        var facts = platform_file_facts_t()
        return platform_facts_of_path(root + path, &facts) == 0
    }
}

extension Device.Contents {
    /// Why there is nothing to read from.
    var problem: String? {
        switch self {
        case .bytes: nil
        case .missing: "it is not there"
        case .unreadable(let why): why
        }
    }

    /// The text, where it is some.
    var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// One line of text for people: at most 256 bytes, nothing that a terminal would obey.
    var line: String? {
        guard let text else { return nil }
        let line = text.trimmingWhiteSpace
        let isPlain = line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" }
        return line.isEmpty || line.utf8.count > 256 || !isPlain ? nil : line
    }
}

extension String {
    /// Without blanks, tabs, line ends and NULs at either end.
    var trimmingWhiteSpace: String {
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0]
        var rest = Substring(self).utf8
        while let first = rest.first, blank.contains(first) { rest.removeFirst() }
        while let last = rest.last, blank.contains(last) { rest.removeLast() }
        return String(Substring(rest))
    }
}
