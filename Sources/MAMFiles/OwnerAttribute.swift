import CFiles
import CProcess
import MAMProtection
import MAMSupport

/// The label in an extended attribute of a file.
enum OwnerAttribute: Equatable {
    case label(FileLabel.Reading)
    /// The file has no label.
    case missing
    /// The file system has no attributes, or hides this one.
    case unsupported

    /// Write a label. Returns false where the file system has no attributes.
    static func set(_ label: [UInt8], _ descriptor: Int32, path: String) throws(MAMError) -> Bool {
        let result = files_xattr_set(descriptor, FileLabel.attribute, label, label.count)
        if Int(result) == FILES_EOPNOTSUPP { return false }
        try check(result, "write the owner", path)
        return true
    }
}

extension OwnerAttribute {
    /// Remove the label, if there is one.
    static func remove(_ descriptor: Int32, path: String) throws(MAMError) {
        let result = files_xattr_remove(descriptor, FileLabel.attribute)
        guard ![FILES_ENODATA, FILES_EOPNOTSUPP].contains(Int(result)) else { return }
        try check(result, "remove its label", path)
    }
}

/// Reads labels of one file after another. Caches the latest, since most files of an owner have the same bytes.
final class AttributeReader {
    private static let usual = 192
    private let key: LabelKey
    private var bytes = [UInt8](repeating: 0, count: FileLabel.maximumLength)
    private var count = 0
    private var known: (bytes: [UInt8], reading: FileLabel.Reading)?

    init(_ key: LabelKey) { self.key = key }

    /// Read the label of a directory entry without following a link. Returns an errno.
    func read(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
        fill { files_xattr_at(directory, name, FileLabel.attribute, $0, $1, $2) }
    }

    /// Read the label of an open file. Returns an errno.
    func read(_ descriptor: Int32) -> Int32 {
        fill { files_xattr_of(descriptor, FileLabel.attribute, $0, $1, $2) }
    }

    /// The bytes of the label that was decoded last.
    var latest: [UInt8] { known?.bytes ?? [] }

    private func fill(_ get: (UnsafeMutableRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32) -> Int32 {
        var count = 0
        func fill(_ buffer: Int) -> Int32 {
            bytes.withUnsafeMutableBytes { memory in
                memory.baseAddress.map { get($0, min(buffer, memory.count), &count) } ?? Int32(FILES_EINVAL)
            }
        }
        // The kernel zeroes a buffer of the requested size, and most labels are short.
        var result = fill(AttributeReader.usual)
        if Int(result) == FILES_ERANGE { result = fill(bytes.count) }
        self.count = count
        return result
    }

    private func isKnown(_ known: [UInt8]) -> Bool {
        known.count == count
            && known.withUnsafeBytes { a in
                bytes.withUnsafeBytes { b in
                    guard let x = a.baseAddress, let y = b.baseAddress else { return false }
                    return process_equal(x, y, count)
                }
            }
    }

    /// Decode the result of a read.
    func decode(_ result: Int32, _ path: @autoclosure () -> String) throws(MAMError) -> OwnerAttribute {
        switch Int(result) {
        case 0:
            if let known, isKnown(known.bytes) { return .label(known.reading) }
            let fresh = Array(bytes.prefix(count))
            let reading = FileLabel.verify(fresh, with: key)
            known = (fresh, reading)
            return .label(reading)
        case FILES_ENODATA: return .missing
        case FILES_EOPNOTSUPP: return .unsupported
        case FILES_ERANGE: return .label(.damaged)
        default: throw .file(result, "read the owner", path())
        }
    }
}
