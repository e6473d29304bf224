import MAMSupport

/// A path as bytes, as in system calls.
public struct FilePath: Sendable {
    /// The longest path that is accepted.
    public static let maximumLength = 65_536
    let characters: [CChar]

    /// Fails for an empty path and for bytes with NUL.
    public init(_ bytes: [UInt8], argument: String = "path") throws(MAMError) {
        guard !bytes.isEmpty else { throw .argument(argument, "is empty", originalCode: .invalidArguments) }
        guard bytes.count <= FilePath.maximumLength else {
            throw .argument(
                argument, "is longer than \(FilePath.maximumLength) bytes", originalCode: .invalidArguments,
                for: .errorPlace)
        }
        guard !bytes.contains(0) else { throw .argument(argument, "contains NUL", originalCode: .invalidArguments) }
        characters = bytes.map { CChar(bitPattern: $0) } + [0]
    }

    init(parts directory: [UInt8], _ name: [UInt8]) {
        let isOne = directory.isEmpty || name.isEmpty || directory.last == UInt8(ascii: "/")
        let slash: [UInt8] = isOne ? [] : [UInt8(ascii: "/")]
        characters = (directory + slash + name).map { CChar(bitPattern: $0) } + [0]
    }

    /// The directory and name of an absolute path; nil for the root directory.
    static func split(_ path: [UInt8]) -> (directory: [UInt8], name: [CChar])? {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < path.count else { return nil }
        let name = FilePath(parts: [], Array(path[(slash + 1)...])).characters
        return (slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash]), name)
    }

    /// The path of a file with the same name in another directory. Fails where the path ends without a name.
    public func inDirectory(_ directory: String) throws(MAMError) -> FilePath {
        let name = Array(bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? [])
        guard !name.isEmpty, name != [0x2E], name != [0x2E, 0x2E] else {
            throw .argument(
                "path", "does not end with the name of a file", originalCode: .invalidArguments, for: .errorPlace)
        }
        return try FilePath(FilePath(parts: Array(directory.utf8), name).bytes)
    }

    /// The path for messages; invalid UTF-8 is repaired.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }
}
