import CPlatform
import CSealedFile
import MAMProtection

/// What the beginning of a file says of its content; nil where it is no form of libmam's. Nothing here verifies it.
enum FileContent {
    /// Written in place by `mam_file_…`.
    case sealed(SealedHeader)
    /// Made in one go: by `mam_protect`, a stream or an export.
    case container(ContainerHeader)
    /// A database of the SQLite VFS, or a log or journal of one.
    case database

    init?(_ descriptor: Int32) {
        var header = sealed_file_header_t()
        if Int(sealed_file_header_read(descriptor, &header).status) == SEALED_FILE_OK {
            self = .sealed(SealedHeader(header))
            return
        }
        var bytes = [UInt8](repeating: 0, count: Container.maximumHeader)
        var count = 0
        let result = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { platform_peek(descriptor, $0, memory.count, &count) } ?? -1
        }
        guard result == 0 else { return nil }
        if let header = bytes.prefix(count).withUnsafeBytes({ Container.leading($0) }) {
            self = .container(header)
        } else if count >= 4, bytes[..<3].elementsEqual("MAM".utf8), bytes[3] == 3 || bytes[3] == 4 {
            self = .database
        } else {
            return nil
        }
    }

    /// Whom the header names; nil where it names nobody.
    var account: [UInt8]? {
        switch self {
        case .sealed(let header): header.accountId
        case .container(let header): header.accountId
        case .database: nil
        }
    }

    var isEncrypted: Bool {
        if case .container(let header) = self { header.algorithm == ContainerHeader.sealed } else { true }
    }
}
