import MAMProtection
import MAMSupport

/// The kind of a file by its first bytes, which are not verified.
public enum FileKind: Sendable {
    case plain
    /// A container, made by `mam_protect`, a stream or an export.
    case container(ContainerHeader)
    /// A sealed file.
    case sealed(SealedFileHeader)
    /// An encrypted SQLite database.
    case database
    /// The WAL or journal of an encrypted database.
    case databaseLog

    /// Read the kind of an open file. For a container the result has its first bytes, which suffice to verify a sealed header.
    static func read(
        _ descriptor: Descriptor, path: String
    ) throws(MAMError) -> (kind: FileKind, beginning: [UInt8]) {
        if let header = try SealedFile.header(of: descriptor, path: path) { return (.sealed(header), []) }
        let bytes = try descriptor.firstBytes(Container.maximumHeader + Cobblestone.overhead, path)
        let (isContainer, header) = bytes.withUnsafeBytes { (Container.isContainer($0), Container.leadingHeader($0)) }
        guard isContainer else {
            guard bytes.count >= 4, bytes[..<3].elementsEqual("MAM".utf8) else { return (.plain, []) }
            return (bytes[3] == 3 ? .database : bytes[3] == 4 ? .databaseLog : .plain, [])
        }
        guard let header else {
            throw .file(
                .damaged, path, "the container is damaged: its header is not one", originalCode: .failedToDecrypt)
        }
        return (.container(header), bytes)
    }

    /// The account that the header names, if any.
    var account: [UInt8]? {
        switch self {
        case .sealed(let header): header.accountId
        case .container(let header): header.accountId
        case .plain, .database, .databaseLog: nil
        }
    }

    /// The data key of a sealed file or container; nil for other kinds. Headers of databases name no key.
    var dataKey: (id: [UInt8], epoch: UInt32)? {
        switch self {
        case .container(let header) where header.algorithm == ContainerHeader.sealed: (header.keyId, header.epoch)
        case .sealed(let header): (header.keyId, header.epoch)
        case .container, .plain, .database, .databaseLog: nil
        }
    }

    /// Whether reading requires a key.
    public var isEncrypted: Bool {
        switch self {
        case .sealed, .database, .databaseLog: true
        case .container(let header): header.algorithm == ContainerHeader.sealed
        case .plain: false
        }
    }
}
