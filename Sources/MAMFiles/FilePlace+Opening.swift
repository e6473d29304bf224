import CPlatform
import MAMProtection
import MAMSupport

/// A file that was found, before it is known which key it needs.
public struct FoundFile: Sendable {
    let descriptor: Descriptor
    let path: String
    let flags: OpenFlags
    /// Who owns it; nil where it is not sealed.
    public let header: SealedHeader?

    /// For who writes down whose it is.
    public var number: Int32 { descriptor.number }

    /// Whether nobody reads it without a key: sealed in place, a sealed container, or of the SQLite file system.
    public func isEncrypted(_ path: FilePath) throws(MAMError) -> Bool {
        guard header == nil else { return true }
        return switch try SourceFile(descriptor, path, mode: 0).form {
        case .sealed, .database, .databaseLog: true
        case .container(let header): header.algorithm == ContainerHeader.sealed
        case .plain: false
        }
    }

    /// Work on it; the key is that of its header.
    public func open(key: DataKey?, _ shared: SharedLocks) throws(MAMError) -> RandomAccessFile {
        if let header, let key {
            let file = try SealedFile(descriptor, path: path, shared, header: header, key: key)
            return RandomAccessFile(sealed: file, flags)
        }
        if flags.appends {
            let failure = platform_append_from_now(descriptor.number)
            guard failure == 0 else { throw .file(failure, "open it", path) }
        }
        return RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: path), flags)
    }
}

extension FilePlace {
    /// Find the file that is there.
    public func find(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        with { platform_clear_beside($0) }
        while true {
            let descriptor = try open(flags)
            var header = flags.writes ? nil : try SealedFile.header(of: descriptor, path: path)
            if header == nil {
                // Somebody may be giving it another form, in place or in another file. Who writes keeps others from that.
                try lock(descriptor, isExclusive: false, waits: true)
                header = try SealedFile.header(of: descriptor, path: path)
                if !flags.writes { platform_unlock_use(descriptor.number) }
                guard with({ platform_is_at(descriptor.number, $0) }) else { continue }
            }
            return FoundFile(descriptor: descriptor, path: path, flags: flags, header: header)
        }
    }

    /// Open what is there so that nobody else has it open for writing; `.busy` where somebody does.
    func findAlone(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        let descriptor = try openAlone(flags)
        let header = try SealedFile.header(of: descriptor, path: path)
        return FoundFile(descriptor: descriptor, path: path, flags: flags, header: header)
    }

    /// The same, whatever is in it.
    func openAlone(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        with { platform_clear_beside($0) }
        while true {
            let descriptor = try open(flags)
            try lock(descriptor, isExclusive: true, waits: false)
            if with({ platform_is_at(descriptor.number, $0) }) { return descriptor }
        }
    }

    private func lock(_ descriptor: Descriptor, isExclusive: Bool, waits: Bool) throws(MAMError) {
        let failure = platform_lock_use(descriptor.number, isExclusive, waits)
        if Int(failure) == PLATFORM_EWOULDBLOCK {
            throw MAMError(
                .busy, "\(path): is open for writing, in this or another process; close it first",
                [("path", .string(path))])
        }
        guard failure == 0 else { throw .file(failure, "lock it", path) }
    }
}
