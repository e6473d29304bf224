import CPlatform
import CSealedFile
import MAMProtection

/// What the beginning of a file says of its content; nil where it is no form of libmam's.
struct FileContent {
    /// Whom the header names. Nothing here verifies it.
    let account: [UInt8]?
    let isEncrypted: Bool

    init?(_ descriptor: Int32) {
        var sealed = sealed_file_header_t()
        if Int(sealed_file_header_read(descriptor, &sealed).status) == SEALED_FILE_OK {
            (account, isEncrypted) = (SealedHeader(sealed).accountId, true)
            return
        }
        var bytes = [UInt8](repeating: 0, count: Container.maximumHeader)
        var count = 0
        let result = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { platform_peek(descriptor, $0, memory.count, &count) } ?? -1
        }
        guard result == 0, let header = bytes.prefix(count).withUnsafeBytes({ Container.leading($0) }) else {
            return nil
        }
        account = header.accountId
        isEncrypted = header.algorithm == ContainerHeader.sealed
    }
}
