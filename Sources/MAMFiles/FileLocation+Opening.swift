import CFiles
import MAMProtection
import MAMSupport

/// An opened file whose key is not known yet.
public struct FoundFile: Sendable {
    let descriptor: Descriptor
    let path: String
    let flags: OpenFlags
    /// The header of a sealed file; nil for another kind.
    public let header: SealedFileHeader?

    /// The descriptor.
    public var number: Int32 { descriptor.number }

    /// The kind of a file that is not sealed.
    public func kind() throws(MAMError) -> FileKind { try FileKind.read(descriptor, path: path).kind }

    /// Whether reading requires a key.
    public func isEncrypted() throws(MAMError) -> Bool {
        if header != nil { return true }
        return try kind().isEncrypted
    }

    /// Note that what is written from now on is plain: an empty file may have been a sealed one.
    public func becomePlain() { SealedMark.remove(descriptor.number) }

    /// Open the file with the key that its header names.
    public func open(key: DataKey?, _ shared: SharedLocks) throws(MAMError) -> RandomAccessFile {
        if let header, let key {
            let file = try SealedFile(descriptor, path: path, shared, header: header, key: key)
            return RandomAccessFile(sealed: file, flags)
        }
        if flags.appends { try check(files_set_append(descriptor.number), "open it", path) }
        return RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: path), flags)
    }
}

extension FileLocation {
    /// Open the file at this location.
    public func find(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        while true {
            let descriptor = try open(flags)
            var header = flags.writes ? nil : try SealedFile.header(of: descriptor, path: displayPath)
            if header == nil {
                // A writer keeps the lock, so that no conversion begins.
                try waitForConversion(descriptor, requiresLock: flags.writes)
                header = try SealedFile.header(of: descriptor, path: displayPath)
                if !flags.writes { files_unlock_use(descriptor.number) }
                guard refers(to: descriptor) else { continue }
            }
            return FoundFile(descriptor: descriptor, path: displayPath, flags: flags, header: header)
        }
    }

    /// Open the file while no writer has it open; fails with `.busy` otherwise.
    func findExclusively(_ flags: OpenFlags) throws(MAMError) -> FoundFile {
        let descriptor = try openExclusively(flags.passingMode)
        let header = try SealedFile.header(of: descriptor, path: displayPath)
        return FoundFile(descriptor: descriptor, path: displayPath, flags: flags, header: header)
    }

    /// Same without reading a header.
    func openExclusively(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        while true {
            let descriptor = try open(flags)
            try lockExclusively(descriptor)
            if refers(to: descriptor) { return descriptor }
        }
    }

    /// Open the regular file at this location.
    func open(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        var number: Int32 = -1
        var facts = files_stat_t()
        let failure = withUnsafePointer(to: flags.bits) {
            files_open_at(directory.number, name, $0, &number, &facts)
        }
        try check(failure, "open it", displayPath)
        guard number >= 0 else { throw .notRegular("open it", displayPath, mode: facts.mode) }
        return Descriptor(number, isHostFile: true)
    }

    /// Open a file or directory without changing it.
    func look() throws(MAMError) -> (Descriptor, files_entry_t) {
        var number: Int32 = -1
        var entry = files_entry_t()
        try check(files_open_entry(directory.number, name, &number, &entry), "open it", displayPath)
        return (Descriptor(number, isHostFile: true), entry)
    }

    /// Lock the file against conversions once none is under way. A program that locked the first byte itself, with a
    /// POSIX lock, keeps conversions away: reading goes on without a lock, and writing fails with `.busy`.
    private func waitForConversion(_ descriptor: Descriptor, requiresLock: Bool) throws(MAMError) {
        let failure = files_lock_use_waiting(descriptor.number)
        if Int(failure) == FILES_EWOULDBLOCK && !requiresLock { return }
        try check(failure, "lock it", displayPath)
    }

    private func lockExclusively(_ descriptor: Descriptor) throws(MAMError) {
        let failure = files_lock_use(descriptor.number, true)
        if Int(failure) == FILES_EWOULDBLOCK {
            throw .file(.busy, displayPath, "is open for writing, in this or another process; close it first")
        }
        try check(failure, "lock it", displayPath)
    }
}
