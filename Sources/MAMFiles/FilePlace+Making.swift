import CPlatform
import MAMProtection
import MAMSupport

extension FilePlace {
    /// Make a file, or what is there anew and empty: sealed where there is a key. A new one has a name once it is whole, and
    /// `prepare` has seen it.
    public func make(
        _ flags: OpenFlags, mode: UInt32, account: [UInt8], key: DataKey?, _ shared: SharedLocks,
        _ prepare: (Int32) throws(MAMError) -> Void
    ) throws(MAMError) -> FoundFile {
        // Two who make it at the same time: the second finds it there, unless it is removed again meanwhile.
        for _ in 0..<100 {
            do throws(MAMError) {
                if let made = try makeNew(flags, mode, account, key, prepare) { return made }
                guard !flags.isExclusive else {
                    throw .file(.already, shown, "is there already (O_EXCL)")
                }
                return try makeAnew(flags, account: account, key: key, shared)
            } catch {
                guard error.code == .notFound, !isDirectoryMissing else { throw error }
            }
        }
        throw .file(.busy, shown, "is made and removed again and again")
    }

    /// The same with what is there alone.
    public func makeAnew(
        _ flags: OpenFlags, account: [UInt8], key: DataKey?, _ shared: SharedLocks
    ) throws(MAMError) -> FoundFile {
        let found: FoundFile
        do throws(MAMError) { found = try find(flags) } catch {
            // What is damaged is cut as well.
            guard error.code == .damaged else { throw error }
            return try remake(flags, account, key)
        }
        // Where its form stays, whoever has it open goes on with the same file.
        if let header = found.header, let key, header.names(key), header.accountId == account {
            if (try? emptied(found.descriptor, header, key, shared)) != nil { return found }
        } else if found.header == nil, key == nil {
            try resize(found.descriptor)
            return found
        }
        platform_unlock_use(found.descriptor.number)
        return try remake(flags, account, key)
    }

    /// In another form, while nobody else has it open for writing.
    private func remake(_ flags: OpenFlags, _ account: [UInt8], _ key: DataKey?) throws(MAMError) -> FoundFile {
        let descriptor = try openAlone(flags)
        try resize(descriptor)
        let made = try fill(descriptor, flags, account, key)
        _ = platform_lock_use(descriptor.number, false, false)
        return made
    }

    /// nil where something has the name.
    private func makeNew(
        _ flags: OpenFlags, _ mode: UInt32, _ account: [UInt8], _ key: DataKey?,
        _ prepare: (Int32) throws(MAMError) -> Void
    ) throws(MAMError) -> FoundFile? {
        var facts = platform_file_facts_t()
        if platform_facts_at(directory.number, name, &facts) == 0 { return nil }
        var number: Int32 = -1
        let begun = withUnsafePointer(to: flags.bits) {
            platform_open_nameless(directory.number, $0, mode, &number)
        }
        try check(begun, "make it", shown)
        let descriptor = Descriptor(number)
        let made = try fill(descriptor, flags, account, key)
        _ = platform_lock_use(number, false, false)
        try prepare(number)
        let named = platform_name_file(number, directory.number, name)
        if Int(named) == PLATFORM_EEXIST { return nil }
        try check(named, "make it", shown)
        return made
    }

    private func fill(
        _ descriptor: Descriptor, _ flags: OpenFlags, _ account: [UInt8], _ key: DataKey?
    ) throws(MAMError) -> FoundFile {
        var made: SealedHeader?
        if let key {
            let header = try SealedHeader(account: account, key: key)
            do throws(MAMError) { try SealedFile.make(descriptor, path: shown, header: header, key: key) } catch {
                _ = platform_resize(descriptor.number, 0)
                throw error
            }
            made = try SealedFile.header(of: descriptor, path: shown)
        }
        return FoundFile(descriptor: descriptor, path: shown, flags: flags, header: made)
    }

    private func emptied(_ descriptor: Descriptor, _ header: SealedHeader, _ key: DataKey, _ shared: SharedLocks)
        throws(MAMError)
    {
        try SealedFile(descriptor, path: shown, shared, header: header, key: key).truncate(to: 0)
    }

    private func resize(_ descriptor: Descriptor) throws(MAMError) {
        try check(platform_resize(descriptor.number, 0), "empty it", shown)
    }

    /// The directory was removed after it was opened: nothing can be made there any more.
    private var isDirectoryMissing: Bool {
        var facts = platform_file_facts_t()
        return platform_facts_at(directory.number, ".", &facts) != 0
    }
}
