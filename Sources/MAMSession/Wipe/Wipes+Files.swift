import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

extension Wipes {
    /// Maximum number of progress events of one wipe.
    private static let maximumProgressEvents: Int64 = 20

    /// Remove the account's files, unless the host reported that it removed its data; returns the results. After a kill, a failure
    /// or an interrupt, the next attempt resumes from the journal.
    func removeFiles(_ entry: WipeEntry) throws(MAMError) -> FileRemovalReport? {
        guard entry.hostRemovedData != true else { return entry.files }
        let removal = try OwnedFileRemoval(
            state, libraryFiles, of: entry, resuming: entry.files, hasHelpers: settings.hasWorker)
        let wait = interrupts.beginWait()
        var reported: Int64 = 0
        let files = try removal.run(
            isInterrupted: { wait.isInterrupted },
            save: { (files, view) throws(MAMError) in
                var entry = entry
                entry.files = files
                try view.journal.update(entry)
            },
            report: { files in
                // Report fractions of the known files, so that the number of events does not grow with the number of files.
                let fraction =
                    files.known > 0
                    ? min(files.removed * Wipes.maximumProgressEvents / files.known, Wipes.maximumProgressEvents)
                    : Wipes.maximumProgressEvents
                guard fraction > reported, files.known > 0 || files.removed > 0 else { return }
                reported = fraction
                log.write(.info, "a wipe has removed \(files.removed) files; \(files.known) were known")
                emit(
                    .files, of: entry,
                    [
                        ("removed", .integer(files.removed)), ("known", .integer(files.known)),
                        ("left", .integer(files.left)),
                    ])
            })
        warn(of: files)
        return files
    }

    private func warn(of files: FileRemovalReport) {
        if files.retried > 0 {
            log.write(.warning, "a wipe could not remove \(files.retried) files yet, and tries again")
        }
        if files.left > 0 || files.gone > 0 {
            let missing = [
                files.left > 0 ? "left: \(files.left)" : nil,
                files.gone > 0 ? "removed or moved before: \(files.gone)" : nil,
            ]
            log.write(
                .warning,
                "a wipe removed \(files.removed) files; \(missing.compactMap { $0 }.joined(separator: ", "))")
        }
    }

    /// Remove the files that a wipe had to leave.
    func removeRemainingFiles(of entry: inout WipeEntry) throws(MAMError) {
        let wait = interrupts.beginWait()
        let files = try RemainingFileRemoval(state, libraryFiles, of: entry.account).run { wait.isInterrupted }
        entry.files = files
        let later = entry
        try state.write { (view) throws(MAMError) in try view.journal.update(later) }
        warn(of: files)
        guard files.removed > 0 else { return }
        log.write(.info, "a wipe has removed \(files.removed) files that it had left")
        emit(
            .files, of: entry,
            [
                ("removed", .integer(files.removed)), ("known", .integer(files.known)), ("left", .integer(files.left)),
            ])
    }

    /// The status of a completed wipe: it did not succeed while files are left that libmam could not remove.
    func status(ofCompleted entry: WipeEntry) -> EnrollmentStatus {
        guard let files = entry.files, entry.hasFilesLeft else {
            return status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn)
        }
        let first = files.named.first { $0.reason == .permission || $0.reason == .error }
        let others = files.retried > 1 ? " and \(files.retried - 1) more" : ""
        return status(
            .failedToClearMamData, accountId: entry.accountId, upn: entry.upn,
            message: "the account's keys are gone, but files could not be removed: \(first?.message ?? "")\(others);"
                + " no call of this app opens them, and they are removed once that is possible")
    }
}
