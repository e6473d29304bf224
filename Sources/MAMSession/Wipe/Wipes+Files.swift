import MAMFiles
import MAMState
import MAMSupport

extension Wipes {
    /// Maximum number of progress events of one wipe.
    private static let maximumProgressEvents: Int64 = 20

    /// Remove the account's files, unless the host reported that it removed its data. After a kill or an interrupt, the next
    /// attempt resumes from the journal.
    func removeFiles(_ entry: inout WipeEntry) throws(MAMError) {
        guard entry.hostRemovedData != true else { return }
        let removal = try OwnedFileRemoval(state, of: entry, resuming: entry.files, hasHelpers: settings.hasWorker)
        let former = entry
        let wait = interrupts.beginWait()
        var reported: Int64 = 0
        do throws(MAMError) {
            try removal.run(
                isInterrupted: { wait.isInterrupted },
                save: { (files, view) throws(MAMError) in
                    var entry = former
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
                        .files, of: former,
                        [
                            ("removed", .integer(files.removed)), ("known", .integer(files.known)),
                            ("left", .integer(files.left)),
                        ])
                })
        } catch {
            entry.files = removal.files
            throw error
        }
        entry.files = removal.files
        guard let files = entry.files, files.left > 0 || files.gone > 0 else { return }
        log.write(
            .warning,
            "a wipe removed \(files.removed) files; \(files.left) are left and \(files.gone) are not where they were")
    }
}
