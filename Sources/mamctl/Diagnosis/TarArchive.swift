/// A tar archive in the ustar form of POSIX: files for their owner alone, of one time, in the order in which they are added.
struct TarArchive {
    private static let block = 512

    private let time: Int
    private(set) var names: [String] = []
    private var content: [UInt8] = []

    /// `time` is that of every member, in seconds since 1970.
    init(time: Int) { self.time = time }

    /// Add a file. The part of its path before the last slash has at most 155 bytes, the rest at most 100.
    mutating func add(_ path: String, _ bytes: [UInt8]) {
        names.append(path)
        content += TarArchive.header(path, count: bytes.count, time: time) + bytes
        content += [UInt8](repeating: 0, count: (TarArchive.block - bytes.count % TarArchive.block) % TarArchive.block)
    }

    /// The whole archive, which two empty blocks end.
    var bytes: [UInt8] { content + [UInt8](repeating: 0, count: 2 * TarArchive.block) }

    private static func header(_ path: String, count: Int, time: Int) -> [UInt8] {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let prefix = slash.map { String(path[..<$0]) } ?? ""
        let fields: [(text: String, width: Int)] = [
            (name, 100), (octal(0o600, 8), 8), (octal(0, 8), 8), (octal(0, 8), 8), (octal(count, 12), 12),
            (octal(time, 12), 12), ("        ", 8), ("0", 1), ("", 100), ("ustar\u{0}00", 8), ("", 32), ("", 32),
            (octal(0, 8), 8), (octal(0, 8), 8), (prefix, 155), ("", 12),
        ]
        var header: [UInt8] = []
        for (text, width) in fields {
            let bytes = Array(text.utf8.prefix(width))
            header += bytes + [UInt8](repeating: 0, count: width - bytes.count)
        }
        // The sum of the header with blanks in the sum's place.
        let sum = header.reduce(0) { $0 + Int($1) }
        header.replaceSubrange(148..<156, with: Array("\(octal(sum, 7))\u{0} ".utf8))
        return header
    }

    /// A number in octal digits, with room for the NUL behind them.
    private static func octal(_ number: Int, _ width: Int) -> String {
        let digits = String(max(0, number), radix: 8)
        return String(repeating: "0", count: max(0, width - 1 - digits.count)) + digits
    }
}
