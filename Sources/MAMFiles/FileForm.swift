import MAMProtection
import MAMSupport

/// What the first bytes of a file say that it is. Nothing of it is verified.
public enum FileForm: Sendable {
    case plain
    /// Made in one go: by `mam_protect`, a stream or an export.
    case container(ContainerHeader)
    /// Sealed in place.
    case sealed(SealedHeader)
    /// Of the SQLite file system: read through that alone.
    case database
    /// A log or journal of one.
    case databaseLog

    /// Of an open file, and its first bytes where it is a container: enough to verify what a sealed one's header says.
    static func read(
        _ descriptor: Descriptor, path: String
    ) throws(MAMError) -> (form: FileForm, beginning: [UInt8]) {
        if let header = try SealedFile.header(of: descriptor, path: path) { return (.sealed(header), []) }
        let bytes = try descriptor.beginning(Container.maximumHeader + Cobblestone.overhead, path)
        let (isContainer, header) = bytes.withUnsafeBytes { (Container.isContainer($0), Container.leading($0)) }
        guard isContainer else {
            guard bytes.count >= 4, bytes[..<3].elementsEqual("MAM".utf8) else { return (.plain, []) }
            return (bytes[3] == 3 ? .database : bytes[3] == 4 ? .databaseLog : .plain, [])
        }
        guard let header else {
            throw .file(.damaged, path, "the container is damaged: its header is not one", originalCode: 103)
        }
        return (.container(header), bytes)
    }

    /// Whom the header names; nil where it names nobody.
    var account: [UInt8]? {
        switch self {
        case .sealed(let header): header.accountId
        case .container(let header): header.accountId
        case .plain, .database, .databaseLog: nil
        }
    }

    /// The data key that seals it; nil where none does, and for databases, whose header names none.
    var dataKey: (id: [UInt8], epoch: UInt32)? {
        switch self {
        case .container(let header) where header.algorithm == ContainerHeader.sealed: (header.keyId, header.epoch)
        case .sealed(let header): (header.keyId, header.epoch)
        case .container, .plain, .database, .databaseLog: nil
        }
    }

    /// Whether nobody reads it without a key.
    public var isEncrypted: Bool {
        switch self {
        case .sealed, .database, .databaseLog: true
        case .container(let header): header.algorithm == ContainerHeader.sealed
        case .plain: false
        }
    }
}
