import MAMFiles
import MAMState
import MAMSupport

extension Session {
    /// Most events that one wipe tells its files by.
    private static let told: Int64 = 20

    /// The files that the account owned go, unless the host answered that it removed its data. Killed or interrupted, the next
    /// one goes on where the journal says.
    func removeFiles(_ entry: inout WipeEntry) throws(MAMError) {
        guard entry.hostRemovedData != true else { return }
        let removal = try OwnedRemoval(state, of: entry, resuming: entry.files, hasHelpers: settings.hasWorker)
        let former = entry
        let wait = interrupts.begin()
        var told: Int64 = 0
        do throws(MAMError) {
            try removal.run(
                isOver: { wait.isOver },
                keep: { (files, view) throws(MAMError) in
                    var entry = former
                    entry.files = files
                    try view.journal.update(entry)
                },
                tell: { files in
                    // A share of what was known, so that a hundred times as many files are not a hundred times as many events.
                    let share =
                        files.known > 0 ? min(files.removed * Session.told / files.known, Session.told) : Session.told
                    guard share > told, files.known > 0 || files.removed > 0 else { return }
                    told = share
                    log.write(.info, "a wipe has removed \(files.removed) files; \(files.known) were known")
                    emit(
                        "wipeProgress", of: former.named,
                        [
                            ("step", "files"), ("removed", .integer(files.removed)), ("known", .integer(files.known)),
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
