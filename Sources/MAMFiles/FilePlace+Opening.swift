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

    /// Work on it; the key is that of its header.
    public func open(key: DataKey?) throws(MAMError) -> RandomAccessFile {
        if let header, let key {
            let file = try SealedFile(descriptor, path: path, isWritable: flags.writes, header: header, key: key)
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
        let descriptor = try open(flags)
        var header = try SealedFile.header(of: descriptor, path: path)
        if header == nil {
            // Somebody may be making it anew in place.
            try lockMaking(descriptor, isExclusive: false)
            defer { platform_unlock_making(descriptor.number) }
            header = try SealedFile.header(of: descriptor, path: path)
        }
        return FoundFile(descriptor: descriptor, path: path, flags: flags, header: header)
    }

    /// Make a file, or what is there anew and empty: sealed where there is a key. It has a name once it is whole.
    public func make(
        _ flags: OpenFlags, mode: UInt32, account: [UInt8], key: DataKey?
    ) throws(MAMError) -> FoundFile {
        let header = try key.map { (key) throws(MAMError) in try SealedHeader(account: account, key: key) }
        // Two who make it at the same time: the second finds it there, unless it is removed again meanwhile.
        for _ in 0..<100 {
            do throws(MAMError) {
                if let made = try makeNew(flags, mode, header, key) { return made }
                guard !flags.isExclusive else {
                    throw MAMError(.already, "\(path): is there already (O_EXCL)", [("path", .string(path))])
                }
                return try makeAnew(flags, header, key)
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        throw MAMError(.busy, "\(path): is made and removed again and again", [("path", .string(path))])
    }

    /// The same with what is there alone.
    public func makeAnew(_ flags: OpenFlags, account: [UInt8], key: DataKey?) throws(MAMError) -> FoundFile {
        try makeAnew(flags, try key.map { (key) throws(MAMError) in try SealedHeader(account: account, key: key) }, key)
    }

    /// nil where something has the name.
    private func makeNew(
        _ flags: OpenFlags, _ mode: UInt32, _ header: SealedHeader?, _ key: DataKey?
    ) throws(MAMError) -> FoundFile? {
        var facts = platform_file_facts_t()
        if with({ platform_place_facts($0, &facts) }) == 0 { return nil }
        let descriptor = try makeNameless(flags, mode: mode)
        let made = try fill(descriptor, flags, header, key)
        let failure = with { platform_name(descriptor.number, $0) }
        if Int(failure) == PLATFORM_EEXIST { return nil }
        guard failure == 0 else { throw .file(failure, "make it", path) }
        return made
    }

    private func makeAnew(_ flags: OpenFlags, _ header: SealedHeader?, _ key: DataKey?) throws(MAMError) -> FoundFile {
        let descriptor = try open(flags)
        try lockMaking(descriptor, isExclusive: true)
        defer { platform_unlock_making(descriptor.number) }
        // Whoever has it open goes on with the same file.
        if let key, let old = try? SealedFile.header(of: descriptor, path: path), old.names(key),
            old.accountId == header?.accountId, (try? emptied(descriptor, old, key)) != nil
        {
            return FoundFile(descriptor: descriptor, path: path, flags: flags, header: old)
        }
        let failure = platform_resize(descriptor.number, 0)
        guard failure == 0 else { throw .file(failure, "empty it", path) }
        return try fill(descriptor, flags, header, key)
    }

    private func emptied(_ descriptor: Descriptor, _ header: SealedHeader, _ key: DataKey) throws(MAMError) {
        try SealedFile(descriptor, path: path, isWritable: true, header: header, key: key).truncate(to: 0)
    }

    private func fill(
        _ descriptor: Descriptor, _ flags: OpenFlags, _ header: SealedHeader?, _ key: DataKey?
    ) throws(MAMError) -> FoundFile {
        var made: SealedHeader?
        if let header, let key {
            do throws(MAMError) { try SealedFile.make(descriptor, path: path, header: header, key: key) } catch {
                _ = platform_resize(descriptor.number, 0)
                throw error
            }
            made = try SealedFile.header(of: descriptor, path: path)
        }
        return FoundFile(descriptor: descriptor, path: path, flags: flags, header: made)
    }

    private func lockMaking(_ descriptor: Descriptor, isExclusive: Bool) throws(MAMError) {
        let failure = platform_lock_making(descriptor.number, isExclusive)
        guard failure == 0 else { throw .file(failure, "lock it", path) }
    }
}
