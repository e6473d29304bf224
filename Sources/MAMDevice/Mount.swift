import MAMSupport

/// A line of /proc/self/mountinfo.
struct Mount {
    let device: String  // major:minor
    let root: String
    let point: String
    let type: String
    let source: String

    /// nil for a malformed line.
    init?(_ line: ArraySlice<UInt8>) {
        let fields = line.split(separator: 0x20, omittingEmptySubsequences: false)
        // A "-" ends the optional fields.
        guard fields.count >= 9, let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
            dash + 2 < fields.count
        else { return nil }
        device = Mount.text(fields[2])
        root = Mount.text(fields[3])
        point = Mount.text(fields[4])
        type = Mount.text(fields[dash + 1])
        source = Mount.text(fields[dash + 2])
    }

    /// Decode octal escapes such as \040.
    private static func text(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) })
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(digits.reduce(0) { $0 << 3 | ($1 & 7) })
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a path is at or below the mount point.
    func contains(_ path: String) -> Bool {
        guard point != "/" else { return true }
        let (path, point) = (path.utf8, point.utf8)
        return path.starts(with: point)
            && (path.count == point.count || path.dropFirst(point.count).first == UInt8(ascii: "/"))
    }
}
