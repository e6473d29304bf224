import CFiles
import MAMProtection
import MAMSupport

extension FileLocation {
    /// Create a file, or truncate an existing one; sealed if there is a key. A new file gets its name when it is complete, after
    /// `prepare`.
    public func create(
        _ flags: OpenFlags, mode: UInt32, account: [UInt8], key: DataKey?, _ shared: SharedLocks,
        _ prepare: (Int32) throws(MAMError) -> Void
    ) throws(MAMError) -> FoundFile {
        // Another process may create or remove the file between the attempts.
        for _ in 0..<100 {
            do throws(MAMError) {
                if let made = try createNew(flags, mode, account, key, prepare) { return made }
                guard !flags.isExclusive else {
                    throw .file(.already, displayPath, "is there already (O_EXCL)")
                }
                return try truncate(flags, account: account, key: key, shared)
            } catch {
                guard error.code == .notFound, !isDirectoryMissing else { throw error }
            }
        }
        throw .file(.busy, displayPath, "is made and removed again and again")
    }

    /// Truncate an existing file.
    public func truncate(
        _ flags: OpenFlags, account: [UInt8], key: DataKey?, _ shared: SharedLocks
    ) throws(MAMError) -> FoundFile {
        let found: FoundFile
        do throws(MAMError) { found = try find(flags) } catch {
            // A damaged file can be truncated as well.
            guard error.code == .damaged else { throw error }
            return try recreate(flags, account, key)
        }
        // A file that stays of its kind is truncated in place, so that open handles continue.
        if let header = found.header, let key, header.names(key), header.accountId == account {
            if (try? truncateSealed(found.descriptor, header, key, shared)) != nil { return found }
        } else if found.header == nil, key == nil {
            try resize(found.descriptor)
            return found
        }
        files_unlock_use(found.descriptor.number)
        return try recreate(flags, account, key)
    }

    /// Make a plain file that has no content a sealed one; false where it has content. Fails with `.busy` while it is open for
    /// writing.
    public func sealEmpty(_ flags: OpenFlags, account: [UInt8], key: DataKey) throws(MAMError) -> Bool {
        let descriptor = try openExclusively(flags)
        defer { files_unlock_use(descriptor.number) }
        guard try descriptor.firstBytes(1, displayPath).isEmpty else { return false }
        _ = try fill(descriptor, flags, account, key)
        return true
    }

    /// Empty a file and make it sealed or plain, while it is not open for writing elsewhere.
    private func recreate(_ flags: OpenFlags, _ account: [UInt8], _ key: DataKey?) throws(MAMError) -> FoundFile {
        let descriptor = try openExclusively(flags)
        try resize(descriptor)
        SealedMark.remove(descriptor.number)
        let made = try fill(descriptor, flags, account, key)
        _ = files_lock_use(descriptor.number, false)
        return made
    }

    /// Create a new file; nil where the name is taken.
    private func createNew(
        _ flags: OpenFlags, _ mode: UInt32, _ account: [UInt8], _ key: DataKey?,
        _ prepare: (Int32) throws(MAMError) -> Void
    ) throws(MAMError) -> FoundFile? {
        var facts = files_stat_t()
        if files_fstatat(directory.number, name, &facts) == 0 { return nil }
        var number: Int32 = -1
        let begun = withUnsafePointer(to: flags.bits) {
            files_open_unnamed(directory.number, $0, mode, &number)
        }
        try check(begun, "make it", displayPath)
        let descriptor = Descriptor(number)
        let made = try fill(descriptor, flags, account, key)
        _ = files_lock_use(number, false)
        try prepare(number)
        let named = files_link(number, directory.number, name)
        if Int(named) == FILES_EEXIST { return nil }
        try check(named, "make it", displayPath)
        return made
    }

    private func fill(
        _ descriptor: Descriptor, _ flags: OpenFlags, _ account: [UInt8], _ key: DataKey?
    ) throws(MAMError) -> FoundFile {
        var made: SealedFileHeader?
        if let key {
            let header = try SealedFileHeader(account: account, key: key)
            do throws(MAMError) { try SealedFile.create(descriptor, path: displayPath, header: header, key: key) } catch
            {
                _ = files_truncate(descriptor.number, 0)
                throw error
            }
            made = try SealedFile.header(of: descriptor, path: displayPath)
        }
        return FoundFile(descriptor: descriptor, path: displayPath, flags: flags, header: made)
    }

    private func truncateSealed(
        _ descriptor: Descriptor, _ header: SealedFileHeader, _ key: DataKey, _ shared: SharedLocks
    )
        throws(MAMError)
    {
        try SealedFile(descriptor, path: displayPath, shared, header: header, key: key).truncate(to: 0)
    }

    private func resize(_ descriptor: Descriptor) throws(MAMError) {
        try check(files_truncate(descriptor.number, 0), "empty it", displayPath)
    }

    /// Whether the directory was removed, so that creating fails for good.
    private var isDirectoryMissing: Bool {
        var facts = files_stat_t()
        return files_fstatat(directory.number, ".", &facts) != 0
    }
}
