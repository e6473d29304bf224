import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Queue events for the changes, and make every service answer from the new snapshot.
    func distribute(from old: Snapshot, to fresh: Snapshot) {
        events.follow(from: old, to: fresh)
        screen.adoptReport(of: fresh)
        log.follow(fresh)
        telemetry.disable(fresh.settings.bool(SettingKey.telemetryDisabled))
        policies.follow(fresh)
        files.dropKeysOfMissingAccounts(fresh)
        databases.follow(fresh)
        for rename in fresh.renames(since: old) {
            events.emit(.accountDidChange, of: rename.account, [("formerUpn", .string(rename.formerUPN))])
        }
        for change in fresh.changes(since: old) { events.emit(change.name, of: change.account) }
        let isHiding = identitySwitches.follow(from: old, to: fresh)
        identities.follow(from: old, to: fresh)
        if isHiding { operations.wakeWorker() }
        device.follow(from: old, to: fresh)
        operations.queues.refreshSignal()
    }

    /// Warn about shares without an account: they may hold keys of accounts that only a newer state database has.
    func warnOfOrphanedShares() {
        let shares = state.orphanedShares
        guard shares.count > 0 else { return }
        events.warn(
            "\(state.directory.path)/shares has \(shares.count) shares that no account of state.db has, as where an older state.db was put back; they are kept. Put the newest state.db back; if there is none, mamctl purge removes them",
            [("unlistedShares", shares.json)])
    }

    func warnClosed(_ id: AccountRowID, _ error: MAMError) {
        events.warn(
            "an account's data stays closed: \(error.message)",
            [("account", .string(id.hex)), ("error", .integer(Int64(error.code.rawValue)))])
    }
}
