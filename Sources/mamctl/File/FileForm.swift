import CMam

/// What form a file has, by its first bytes.
enum FileForm {
    private static let container: [UInt8] = [0x4d, 0x41, 0x4d, 1]
    /// Where a header says what is in it, and what it says of an exported file.
    private static let (contentOffset, file) = (8, UInt8(2))

    /// A container is no sealed file: it would be taken for plain bytes.
    static func refuseContainer(_ path: String) throws {
        try refuseExported(path)
        guard Input.beginning(of: path, container.count) ?? [] == container else { return }
        throw Failure.failed("\(path) is a container; mamctl unprotect reads it", status: MAM_ERR_UNSUPPORTED)
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
