import CFiles
import MAMState
import MAMSupport

/// Changes everything in a directory. Continues after failures and throws the first one.
extension OwnershipStore {
    /// Set the owner of everything in a directory, and convert it as the owner requires, except what `keepsOwner`.
    func setAll(
        in top: LabelledFile, _ label: [UInt8], _ owner: Owner, _ converting: Converting, _ isInterrupted: () -> Bool,
        leaving: (FileLocation) -> Void, keepsOwner: (FileLocation) throws(MAMError) -> Bool
    ) throws(MAMError) {
        try change(in: top, owner, isInterrupted, leaving: leaving) { (location) throws(MAMError) in
            guard try !keepsOwner(location) else { return nil }
            return (try set(location, label, owner, converting), true)
        }
    }

    /// Encrypt the plain files that a directory's owner has in it, if the owner requires it, and check sealed ones. An earlier call may
    /// have been killed or refused in between, and the policy may require encryption only now.
    func encryptAll(
        in top: LabelledFile, _ label: [UInt8], _ owner: Owner, _ converting: Converting, checking: Converting,
        _ isInterrupted: () -> Bool
    ) throws(MAMError) {
        try change(in: top, owner, isInterrupted) { (location) throws(MAMError) in
            let entry = try location.entry()
            let known = try find(location, entry)
            let kept = (LabelledFile(location: location, entry: entry, isLabelled: false), false)
            guard known.account == owner.name, known.app == owner.app else { return kept }
            let isReplaced = try convertIfNeeded(location) { (location, kind) throws(MAMError) in
                if case .plain = kind { try converting(location, kind) } else { try checking(location, kind) }
            }
            guard isReplaced else { return kept }
            // A converted file is a new file, without the label.
            return (try set(location, label, owner, converting), true)
        }
    }

    /// Call `change` for everything in a directory. It returns the file, and whether its label is new; nil for a file that stays as
    /// it is, or a directory of which the content does.
    private func change(
        in top: LabelledFile, _ owner: Owner, _ isInterrupted: () -> Bool,
        leaving: (FileLocation) -> Void = { _ in },
        change: (FileLocation) throws(MAMError) -> (file: LabelledFile, isNew: Bool)?
    ) throws(MAMError) {
        let libraryFiles = self.libraryFiles.find()
        var waiting = [top]
        var failures = Failures()
        while let next = waiting.popLast() {
            guard !isInterrupted() else { throw .interrupted }
            do throws(MAMError) {
                let path = next.location.path
                let directory = try FileLocation.open(path, FilePath(parts: path, []).text)
                var now = files_entry_t()
                // Another directory may have the path by now.
                guard files_entry_of(directory.number, &now) == 0, now.fileID.isSame(next.entry.fileID) else {
                    continue
                }
                let listing = try DirectoryListing(directory, path: path)
                while try listing.next(limit: 1024) {
                    guard !isInterrupted() else { throw .interrupted }
                    var marked: [(file: LabelledFile, isNew: Bool)] = []
                    listing.each { entry in
                        guard entry.mayBeOwned else { return }
                        let location = FileLocation(directory: directory, directoryPath: path, name: entry.characters)
                        guard libraryFiles.kind(of: location.name, in: directory.number, now) == nil else {
                            return leaving(location)
                        }
                        do throws(MAMError) { if let file = try change(location) { marked.append(file) } } catch {
                            failures.add(error, at: location)
                        }
                    }
                    waiting += marked.map(\.file).filter(\.entry.isDirectory)
                    try index(marked.filter(\.isNew).map(\.file), owner)
                }
            } catch {
                guard error.code != .interrupted, error.code != .storage, error.code != .noSpace else { throw error }
                failures.add(error)
            }
        }
        try failures.check()
    }

    /// The failures so far.
    private struct Failures {
        private var first: MAMError?
        private var count = 0

        mutating func add(_ error: MAMError, at location: FileLocation) {
            // Links and pipes have no owner.
            guard error.code != .unsupported || (try? location.entry().isFile) == true else { return }
            add(error)
        }

        mutating func add(_ error: MAMError) {
            // The file was removed meanwhile.
            guard error.code != .notFound else { return }
            first = first ?? error
            count += 1
        }

        func check() throws(MAMError) {
            guard let first else { return }
            // A cause that a person can mend keeps its own sentence.
            let isMendable = first.code == .noSpace || first.code == .locked
            throw MAMError(
                first.code, count == 1 ? first.message : "\(first.message) (and \(count - 1) more like it)",
                first.detail + [("failures", .integer(Int64(count)))],
                for: isMendable ? first.messageKey : .errorSomeFiles)
        }
    }
}
