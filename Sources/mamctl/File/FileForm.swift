import CMam

/// What form a file has, by its first bytes.
enum FileForm {
    private static let container: [UInt8] = [0x4d, 0x41, 0x4d, 1]
    private static let database: [UInt8] = [0x4d, 0x41, 0x4d, 3]
    /// Where a header says what is in it, and what it says of an exported file.
    private static let (contentOffset, file) = (8, UInt8(2))

    /// A container is no sealed file, nor is a database: it would be taken for plain bytes.
    static func refuseOthers(_ path: String) throws {
        try refuseExported(path)
        let reader: String
        switch Input.beginning(of: path, container.count) {
        case container: reader = "a container; mamctl unprotect reads it"
        case database: reader = "an encrypted SQLite database; mamctl sqlite shell reads it"
        default: return
        }
        throw Failure.failed("\(path) is \(reader)", status: MAM_ERR_UNSUPPORTED)
    }

    /// What was exported goes another way than by a key of this app.
    static func refuseExported(_ path: String) throws {
        guard let beginning = Input.beginning(of: path, contentOffset + 1), beginning.starts(with: container),
            beginning[contentOffset] == file
        else { return }
        throw Failure.failed(
            "\(path) is an exported file; mamctl file import takes it in", status: MAM_ERR_UNSUPPORTED)
    }
}
