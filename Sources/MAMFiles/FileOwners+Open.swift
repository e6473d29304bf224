import CPlatform
import MAMState
import MAMSupport

/// Whose a file is that is open: what has its name meanwhile does not matter.
extension FileOwners {
    /// What is known of a file that was found at a place.
    public func find(_ file: FoundFile, at place: FilePlace) throws(MAMError) -> FileOwner {
        let (entry, attribute) = try look(at: file.number, place.shown)
        return try find(place, entry, attribute)
    }

    /// What is known of a file that is being read.
    public func find(_ source: SourceFile) throws(MAMError) -> FileOwner {
        let (entry, attribute) = try look(at: source.descriptor.number, source.place.shown)
        return try find(source.place, entry, attribute)
    }

    /// What a file says itself, and what the index says of it: its directories are not asked.
    public func find(open file: RandomAccessFile) throws(MAMError) -> FileOwner {
        guard let (number, path) = file.plain else { return FileOwner() }
        let (entry, attribute) = try look(at: number, path)
        return try find(entry, attribute)
    }

    private func look(
        at number: Int32, _ path: String
    ) throws(MAMError) -> (entry: platform_entry_t, attribute: OwnerAttribute) {
        var entry = platform_entry_t()
        try check(platform_entry_of(number, &entry), "look at it", path)
        let reader = AttributeReader(key)
        return (entry, try reader.take(reader.read(number), path))
    }

    private func find(_ entry: platform_entry_t, _ attribute: OwnerAttribute) throws(MAMError) -> FileOwner {
        FileOwners.judge(
            attribute, try state.read { (view, _) throws(MAMError) in try Rows(view.files, entry.number) })
    }
}
