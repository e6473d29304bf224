import CFiles
import MAMSupport

/// The computer that is probed: this one, or a directory tree that was captured on another.
public struct Device: Sendable {
    /// The path of the tree's `/`; empty for the real root.
    let root: String
    let process: ProcessCredentials

    /// A computer whose files are below a directory.
    public init(root: String, process: ProcessCredentials = .own) {
        self.root = root
        self.process = process
    }

    /// This computer and process.
    public static let own = Device(root: "")

    /// The result of reading a file.
    enum Contents {
        case bytes([UInt8])
        case missing
        /// With the reason.
        case unreadable(String)
    }

    /// Read a file of at most `limit` bytes. Does not wait for a file that blocks or has no end.
    func read(_ path: String, limit: Int) -> Contents {
        // Most files are short: begin with a small buffer.
        var capacity = min(limit, 16384)
        while true {
            var count = 0
            var result: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
                guard let base = buffer.baseAddress else { return }
                result = unsafe files_read_path(root + path, base, capacity, &count)
                used = result == 0 ? count : 0
            }
            switch Int(result) {
            case 0: return .bytes(bytes)
            case FILES_EFBIG where capacity < limit: capacity = min(limit, capacity * 8)
            case FILES_EFBIG: return .unreadable("it is longer than \(limit) bytes")
            case FILES_ENOENT, FILES_ENOTDIR: return .missing
            case FILES_EACCES, FILES_EPERM: return .unreadable("this user may not read it")
            case FILES_EISDIR: return .unreadable("it is a directory")
            default: return .unreadable("it cannot be read: \(MAMError.systemText(result))")
            }
        }
    }

    /// The sorted names in a directory, at most a thousand; nil where it cannot be listed.
    func list(_ path: String) -> [String]? {
        var descriptor: Int32 = -1
        guard unsafe files_open_directory(root + path, &descriptor) == 0 else { return nil }
        defer { files_close(descriptor) }
        var names: [String] = []
        let result = unsafe withUnsafeMutablePointer(to: &names) { names in
            unsafe files_list(descriptor, names) { names, name in
                guard let names = unsafe names?.assumingMemoryBound(to: [String].self),
                    unsafe names.pointee.count < 1000
                else {
                    return
                }
                unsafe names.pointee.append(String(repairing: name))
            }
        }
        return result == 0 ? names.sorted() : nil
    }

    /// Whether a path exists.
    func has(_ path: String) -> Bool {
        var facts = files_stat_t()
        return unsafe files_stat(root + path, &facts) == 0
    }
}

extension Device.Contents {
    /// Why the file has no content.
    var problem: String? {
        switch self {
        case .bytes: nil
        case .missing: "it is not there"
        case .unreadable(let why): why
        }
    }

    /// The content, where it is UTF-8.
    var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The content as one line for display: at most 256 bytes, without control characters.
    var line: String? {
        guard let text else { return nil }
        let line = text.trimmingWhiteSpace
        let isPlain = line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" }
        return line.isEmpty || line.utf8.count > 256 || !isPlain ? nil : line
    }
}

extension String {
    /// The text without leading and trailing blanks, tabs, line ends and NULs.
    var trimmingWhiteSpace: String {
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0]
        var rest = Substring(self).utf8
        while let first = rest.first, blank.contains(first) { rest.removeFirst() }
        while let last = rest.last, blank.contains(last) { rest.removeLast() }
        return String(Substring(rest))
    }
}
