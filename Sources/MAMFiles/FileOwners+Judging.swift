import CPlatform
import MAMState
import MAMSupport

/// Whether files may be given away: asked before any of them is changed.
extension FileOwners {
    /// Judge what lies at a place, a directory with everything in it.
    func judge(_ place: FilePlace, _ judging: Judging, _ isOver: () -> Bool) throws(MAMError) {
        try judge(place, judging)
        guard try place.entry().isDirectory else { return }
        var waiting = [place.path]
        while let path = waiting.popLast() {
            guard path != state.directory.realPath else { continue }
            do throws(MAMError) {
                let directory = try FilePlace.open(path, FilePath(parts: path, []).text)
                let listing = try Listing(directory, path: path)
                while try listing.next(limit: 1024) {
                    guard !isOver() else { throw .interrupted }
                    var places: [FilePlace] = []
                    listing.each { item in
                        guard item.mayBeOwned else { return }
                        places.append(
                            FilePlace(directory: directory, directoryPath: path, name: item.characters))
                    }
                    for place in places { if try judge(entryAt: place, judging) { waiting.append(place.path) } }
                }
            } catch {
                // Gone, or a link by now: nothing that is given away.
                guard error.code == .notFound || error.code == .unsupported else { throw error }
            }
        }
    }

    /// Judge one entry of a directory; whether it is a directory itself.
    private func judge(entryAt place: FilePlace, _ judging: Judging) throws(MAMError) -> Bool {
        let entry: platform_entry_t
        do throws(MAMError) { entry = try place.entry() } catch {
            guard error.code == .notFound || error.code == .unsupported else { throw error }
            return false
        }
        try judging(place, try find(place, entry))
        return entry.isDirectory
    }

    /// Judge the file at a place.
    public func judge(_ place: FilePlace, _ judging: Judging) throws(MAMError) {
        try judging(place, try find(place, try place.entry()))
    }

    /// The owner of the file at a place; nil where there is no file.
    public func findIfThere(_ place: FilePlace) throws(MAMError) -> FileOwner? {
        do throws(MAMError) { return try find(place, try place.entry()) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// The owner that files made in the directory of a place inherit; nil where nobody owns the directory.
    public func directoryOwner(of place: FilePlace) throws(MAMError) -> FileOwner? { try inherited(place) }
}
