import CMam

/// The kind of a file, by its first bytes.
enum FileKind {
    private static let container: [UInt8] = [0x4d, 0x41, 0x4d, 1]
    private static let database: [UInt8] = [0x4d, 0x41, 0x4d, 3]
    /// The offset of a container's content type, and its value for an exported file.
    private static let (contentOffset, file) = (8, UInt8(2))

    /// Fail for containers and databases, which would be read as plain bytes.
    static func refuseOthers(_ path: String) throws {
        try refuseExported(path)
        let reader: String
        switch Input.beginning(of: path, container.count) {
        case container: reader = "a container; mamctl unprotect reads it"
        case database: reader = "an encrypted SQLite database; mamctl sqlite shell reads it"
        default: return
        }
        throw CommandError.failed("\(path) is \(reader)", status: MAM_ERR_UNSUPPORTED)
    }

    /// Fail for an exported file, whose key is not this app's.
    static func refuseExported(_ path: String) throws {
        guard let beginning = Input.beginning(of: path, contentOffset + 1), beginning.starts(with: container),
            beginning[contentOffset] == file
        else { return }
        throw CommandError.failed(
            "\(path) is an exported file; mamctl file import takes it in", status: MAM_ERR_UNSUPPORTED)
    }
}
