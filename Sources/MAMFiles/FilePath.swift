import CPlatform
import MAMSupport

/// A path as the system takes it: bytes, not text.
public struct FilePath: Sendable {
    /// Longer ones are refused before the system sees them.
    public static let maximumLength = 65_536
    let characters: [CChar]

    /// Bytes without a NUL; an empty path names nothing.
    public init(_ bytes: [UInt8], argument: String = "path") throws(MAMError) {
        guard !bytes.isEmpty else { throw .argument(argument, "is empty", originalCode: 101) }
        guard bytes.count <= FilePath.maximumLength else {
            throw .argument(argument, "is longer than \(FilePath.maximumLength) bytes", originalCode: 101)
        }
        guard !bytes.contains(0) else { throw .argument(argument, "contains NUL", originalCode: 101) }
        characters = bytes.map { CChar(bitPattern: $0) } + [0]
    }

    init(parts directory: [UInt8], _ name: [UInt8]) {
        let isOne = directory.isEmpty || name.isEmpty || directory.last == UInt8(ascii: "/")
        let slash: [UInt8] = isOne ? [] : [UInt8(ascii: "/")]
        characters = (directory + slash + name).map { CChar(bitPattern: $0) } + [0]
    }

    /// For messages and reports; what is not UTF-8 is repaired.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }
}

extension MAMError {
    /// The failure of a call on a host's file: with the number that the original has for it.
    static func file(_ errno: Int32, _ doing: String, path: String) -> MAMError {
        let number: Int64 =
            switch Int(errno) {
            case PLATFORM_ENOENT, PLATFORM_ENOTDIR: 104
            case PLATFORM_ELOOP, PLATFORM_EINVAL, PLATFORM_ENAMETOOLONG: 101
            default: 107
            }
        let detail: [(key: String, value: JSON)] = [
            ("path", .string(path)), ("errno", .integer(Int64(errno))), ("originalCode", .integer(number)),
        ]
        switch Int(errno) {
        case PLATFORM_ELOOP:
            return MAMError(
                .unsupported, "\(path): cannot \(doing): it is a symbolic link; name the file that it leads to", detail)
        case PLATFORM_EINVAL:
            return MAMError(
                .unsupported,
                "\(path): cannot \(doing): it is neither a file nor a directory but a pipe, socket or device",
                detail)
        case PLATFORM_ENOTDIR:
            return MAMError(.notFound, "\(path): cannot \(doing): a part of the path is not a directory", detail)
        case PLATFORM_ENAMETOOLONG:
            return MAMError(.argument, "\(path): cannot \(doing): a name in it is longer than the system takes", detail)
        default:
            let error = MAMError.system(errno, doing, path: path)
            return MAMError(error.code, error.message, detail)
        }
    }
}
