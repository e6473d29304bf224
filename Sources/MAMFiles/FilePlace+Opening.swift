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
    public func isEncrypted() throws(MAMError) -> Bool {
        if header != nil { return true }
        return try FileForm.read(descriptor, path: path).form.isEncrypted
    }

    /// Work on it; the key is that of its header.
    public func open(key: DataKey?, _ shared: SharedLocks) throws(MAMError) -> RandomAccessFile {
        if let header, let key {
            let file = try SealedFile(descriptor, path: path, shared, header: header, key: key)
            return RandomAccessFile(sealed: file, flags)
        }
        if flags.appends { try check(platform_append_from_now(descriptor.number), "open it", path) }
        return RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: path), flags)
    }
}

extension FilePlace {
    /// Find the file that is there.
    public func find(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        while true {
            let descriptor = try open(flags)
            var header = flags.writes ? nil : try SealedFile.header(of: descriptor, path: shown)
            if header == nil {
                // Somebody may be giving it another form, in place or in another file. Who writes keeps others from that.
                try lock(descriptor, isExclusive: false, waits: true)
                header = try SealedFile.header(of: descriptor, path: shown)
                if !flags.writes { platform_unlock_use(descriptor.number) }
                guard isPlace(of: descriptor) else { continue }
            }
            return FoundFile(descriptor: descriptor, path: shown, flags: flags, header: header)
        }
    }

    /// Open what is there so that nobody else has it open for writing; `.busy` where somebody does.
    func findAlone(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        let descriptor = try openAlone(flags)
        let header = try SealedFile.header(of: descriptor, path: shown)
        return FoundFile(descriptor: descriptor, path: shown, flags: flags, header: header)
    }

    /// The same, whatever is in it.
    func openAlone(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        while true {
            let descriptor = try open(flags)
            try lock(descriptor, isExclusive: true, waits: false)
            if isPlace(of: descriptor) { return descriptor }
        }
    }

    /// Open the regular file that is there.
    func open(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        var number: Int32 = -1
        var facts = platform_file_facts_t()
        let failure = withUnsafePointer(to: flags.bits) {
            platform_open_at(directory.number, name, $0, &number, &facts)
        }
        try check(failure, "open it", shown)
        guard number >= 0 else { throw .notRegular("open it", shown, mode: facts.mode) }
        return Descriptor(number, isHostFile: true)
    }

    /// Open what is there to look at it, a file or a directory.
    func look() throws(MAMError) -> (Descriptor, platform_entry_t) {
        var number: Int32 = -1
        var entry = platform_entry_t()
        try check(platform_open_entry(directory.number, name, &number, &entry), "open it", shown)
        return (Descriptor(number, isHostFile: true), entry)
    }

    private func lock(_ descriptor: Descriptor, isExclusive: Bool, waits: Bool) throws(MAMError) {
        let failure = platform_lock_use(descriptor.number, isExclusive, waits)
        if Int(failure) == PLATFORM_EWOULDBLOCK {
            throw .file(.busy, shown, "is open for writing, in this or another process; close it first")
        }
        try check(failure, "lock it", shown)
    }
}
