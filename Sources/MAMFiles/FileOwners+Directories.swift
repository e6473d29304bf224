import CPlatform
import MAMState
import MAMSupport

/// Owners of everything below a directory: what can be done is done, and the first failure is told.
extension FileOwners {
    func setAll(
        in top: Marked, _ label: [UInt8], _ owner: Owner, _ forming: Forming, _ isOver: () -> Bool
    ) throws(MAMError) {
        var waiting = [top]
        var failures = Failures()
        while let next = waiting.popLast() {
            guard !isOver() else { throw .interrupted }
            do throws(MAMError) {
                let path = next.place.path
                let directory = try FilePlace.open(path, FilePath(parts: path, []).text)
                var now = platform_entry_t()
                // Another one by now is not what was asked for.
                guard platform_entry_of(directory.number, &now) == 0, now.number.isSame(next.entry.number) else {
                    continue
                }
                let listing = try Listing(directory, path: path)
                while try listing.next(limit: 1024) {
                    guard !isOver() else { throw .interrupted }
                    var marked: [Marked] = []
                    listing.each { item in
                        guard item.mayBeOwned else { return }
                        let place = FilePlace(directory: directory, directoryPath: path, name: item.characters)
                        guard place.path != state.directory.realPath else { return }
                        do throws(MAMError) { marked.append(try set(place, label, owner, forming)) } catch {
                            failures.note(error, at: place)
                        }
                    }
                    waiting += marked.filter(\.entry.isDirectory)
                    try index(marked, owner)
                }
            } catch {
                guard error.code != .interrupted, error.code != .storage, error.code != .noSpace else { throw error }
                failures.note(error)
            }
        }
        try failures.check()
    }

    /// What could not be done.
    private struct Failures {
        private var first: MAMError?
        private var count = 0

        mutating func note(_ error: MAMError, at place: FilePlace) {
            // A link or a pipe: nothing that has an owner.
            guard error.code != .unsupported || (try? place.entry().isFile) == true else { return }
            note(error)
        }

        mutating func note(_ error: MAMError) {
            // Gone meanwhile.
            guard error.code != .notFound else { return }
            first = first ?? error
            count += 1
        }

        func check() throws(MAMError) {
            guard let first else { return }
            throw MAMError(
                first.code, count == 1 ? first.message : "\(first.message) (and \(count - 1) more like it)",
                first.detail + [("failures", .integer(Int64(count)))])
        }
    }
}
