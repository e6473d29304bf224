import CPlatform
import MAMProtection
import MAMSupport

/// The attribute of a file that says whose it is.
enum OwnerAttribute: Equatable {
    case label(FileLabel.Reading)
    /// There is none.
    case missing
    /// The file system knows no attributes, or shows this one to nobody.
    case unsupported

    /// Write a label; false where the file system knows no attributes.
    static func set(_ label: [UInt8], _ descriptor: Int32, path: String) throws(MAMError) -> Bool {
        let result = platform_attribute_set(descriptor, FileLabel.attribute, label, label.count)
        if Int(result) == PLATFORM_EOPNOTSUPP { return false }
        try check(result, "write whose it is", path)
        return true
    }
}

extension OwnerAttribute {
    /// Remove the label; nothing is done where there is none.
    static func remove(_ descriptor: Int32, path: String) throws(MAMError) {
        let result = platform_attribute_remove(descriptor, FileLabel.attribute)
        guard ![PLATFORM_ENODATA, PLATFORM_EOPNOTSUPP].contains(Int(result)) else { return }
        try check(result, "remove its label", path)
    }
}

/// Reads attributes of one file after the other: what was verified once, every file of an owner's carries.
final class AttributeReader {
    private static let usual = 192
    private let key: LabelKey
    private var bytes = [UInt8](repeating: 0, count: FileLabel.maximumLength)
    private var count = 0
    private var known: (bytes: [UInt8], reading: FileLabel.Reading)?

    init(_ key: LabelKey) { self.key = key }

    /// Of a name in a directory, no link followed; an errno.
    func read(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
        fill { platform_attribute_at(directory, name, FileLabel.attribute, $0, $1, $2) }
    }

    /// Of an open file.
    func read(_ descriptor: Int32) -> Int32 {
        fill { platform_attribute_of(descriptor, FileLabel.attribute, $0, $1, $2) }
    }

    /// The bytes of the label that was taken last.
    var latest: [UInt8] { known?.bytes ?? [] }

    private func fill(_ get: (UnsafeMutableRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32) -> Int32 {
        var count = 0
        func fill(_ room: Int) -> Int32 {
            bytes.withUnsafeMutableBytes { memory in
                memory.baseAddress.map { get($0, min(room, memory.count), &count) } ?? Int32(PLATFORM_EINVAL)
            }
        }
        // The system clears as much memory as it is offered; most labels are short.
        var result = fill(AttributeReader.usual)
        if Int(result) == PLATFORM_ERANGE { result = fill(bytes.count) }
        self.count = count
        return result
    }

    private func isKnown(_ known: [UInt8]) -> Bool {
        known.count == count
            && known.withUnsafeBytes { a in
                bytes.withUnsafeBytes { b in
                    guard let x = a.baseAddress, let y = b.baseAddress else { return false }
                    return platform_equal(x, y, count)
                }
            }
    }

    /// What was read.
    func take(_ result: Int32, _ path: @autoclosure () -> String) throws(MAMError) -> OwnerAttribute {
        switch Int(result) {
        case 0:
            if let known, isKnown(known.bytes) { return .label(known.reading) }
            let fresh = Array(bytes.prefix(count))
            let reading = FileLabel.read(fresh, key)
            known = (fresh, reading)
            return .label(reading)
        case PLATFORM_ENODATA: return .missing
        case PLATFORM_EOPNOTSUPP: return .unsupported
        case PLATFORM_ERANGE: return .label(.damaged)
        default: throw .file(result, "read whose it is", path())
        }
    }
}
