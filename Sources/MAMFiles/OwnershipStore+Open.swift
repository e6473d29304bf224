import CFiles
import MAMState
import MAMSupport

/// Owners of open files, whatever has their path by now.
extension OwnershipStore {
    /// The owner of a found file.
    public func find(_ file: FoundFile, at location: FileLocation) throws(MAMError) -> FileOwnership {
        let (entry, attribute) = try look(at: file.number, location.displayPath)
        return try find(location, entry, attribute)
    }

    /// The owner of a file that is being read.
    public func find(_ source: SourceFile) throws(MAMError) -> FileOwnership {
        let (entry, attribute) = try look(at: source.descriptor.number, source.location.displayPath)
        return try find(source.location, entry, attribute)
    }

    /// The owner of an open file by its own label and the index, without its directories.
    public func find(open file: RandomAccessFile) throws(MAMError) -> FileOwnership {
        guard let (number, path) = file.plain else { return FileOwnership() }
        let (entry, attribute) = try look(at: number, path)
        return try find(entry, attribute)
    }

    private func look(
        at number: Int32, _ path: String
    ) throws(MAMError) -> (entry: files_entry_t, attribute: OwnerAttribute) {
        var entry = files_entry_t()
        try check(files_entry_of(number, &entry), "look at it", path)
        let reader = AttributeReader(key)
        return (entry, try reader.decode(reader.read(number), path))
    }

    private func find(_ entry: files_entry_t, _ attribute: OwnerAttribute) throws(MAMError) -> FileOwnership {
        OwnershipStore.combine(
            attribute, try state.read { (view, _) throws(MAMError) in try Rows(view.files, entry.fileID) })
    }
}
