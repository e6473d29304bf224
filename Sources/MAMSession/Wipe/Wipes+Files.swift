import MAMFiles
import MAMState
import MAMSupport

extension Wipes {
    /// Maximum number of progress events of one wipe.
    private static let maximumProgressEvents: Int64 = 20

    /// Remove the account's files, unless the host reported that it removed its data; returns the results. After a kill, a failure
    /// or an interrupt, the next attempt resumes from the journal.
    func removeFiles(_ entry: WipeEntry) throws(MAMError) -> WipedFiles? {
        guard entry.hostRemovedData != true else { return entry.files }
        let removal = try OwnedFileRemoval(state, of: entry, resuming: entry.files, hasHelpers: settings.hasWorker)
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
        if files.left > 0 || files.gone > 0 {
            log.write(
                .warning,
                "a wipe removed \(files.removed) files; \(files.left) are left and \(files.gone) are not where they were"
            )
        }
        return files
    }
}
