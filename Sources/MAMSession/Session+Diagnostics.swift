import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// `mam_settings`.
    public func settingsJSON() throws(MAMError) -> JSON {
        let snapshot = try current()
        return [
            "app": try appJSON(), "stateDirectory": .string(settings.stateDirectory), "authority": authorityJSON,
            "keyCustody": "file",
            "device": (device.own ?? HostDevice()).json,
            "worker": .bool(settings.hasWorker),
            "unknownIdentities": .string(settings.refusesUnknownIdentities ? "error" : "unmanaged"),
            "organizationDomains": settings.organizationDomains.map { .strings($0) } ?? .null,
            "additionalOrganizationDomains": .strings(settings.additionalOrganizationDomains),
            "questions": .string(settings.takesQuestionsAsEvents ? "events" : "delegate"),
            "questionTimeout": .string(settings.time(for: .wipeData).iso8601),
            "restartOnFirstPolicy": .bool(settings.asksForRestart),
            "importFolder": .optional(settings.importFolder(snapshot.settings.string(SettingKey.importPath))),
            "infoPlist": .optional(settings.settings.infoPlist), "testPolicy": .optional(settings.testPolicy?.path),
            "settings": snapshot.settings.json, "everEnrolled": .bool(snapshot.wasEverEnrolled),
        ]
    }

    /// `mam_set_override`.
    public func setOverride(_ name: String, _ value: JSON?) throws(MAMError) {
        guard let key = SettingKey.named(name) else {
            throw MAMError(
                .notFound, "key: \"\(name)\" is not an IntuneMAMSettings key",
                [("argument", "key"), ("setting", .string(name))], for: .errorApp)
        }
        if let value { try key.check(value) }
        try settings.checkOverridable(key)
        let stated = value.flatMap { key.isAbsent($0) ? nil : $0 }
        try state.commitForAll { (view) throws(MAMError) in try view.overrides.set(key.name, to: stated) }
        try reload()
    }

    /// `mam_purge`.
    public func purge() throws(MAMError) -> JSON {
        try settings.checkMayChangeAccounts()
        let count = try state.removeOrphanedShares()
        if count > 0 { log.write(.warning, "\(count) shares that no account has were removed") }
        return ["shares": .integer(Int64(count))]
    }

    /// `mam_diagnostics`.
    public func diagnostics() throws(MAMError) -> JSON {
        let snapshot = try current()
        self.authority.expect(snapshot.authority)
        let authority = JSON.object(
            (authorityJSON.object ?? []) + [
                ("custodyReason", .optional(self.authority.custodyReason)),
                (
                    "known",
                    snapshot.authority.map {
                        [
                            "id": .string($0.id), "number": .integer($0.number), "key": .string($0.key.base64),
                            "revision": .integer($0.revision),
                        ]
                    } ?? .null
                ),
                ("problem", .optional(self.authority.problem)),
            ] + lastReached(snapshot))
        let (waiting, begun) = operations.queues.counts
        let queued: JSON = [
            "events": .integer(Int64(waiting)), "operations": .integer(Int64(begun)),
            "policies": .integer(Int64(policies.count)),
        ]
        return [
            "version": .string(libraryVersion), "crypto": .string(CryptoLibrary.version),
            "time": .string(clock.now().rfc3339),
            "app": try appJSON(), "authority": authority, "keyCustody": "file", "keyMemory": Vault.json,
            "state": state.summary,
            "deviceTag": .string(state.reported.deviceTag), "unlistedShares": state.orphanedShares.json,
            "accounts": .array(
                snapshot.accounts.map { account in
                    .object(
                        [("account", .string(account.row.id.hex))]
                            + (schedule.json(of: account, in: snapshot).object ?? []))
                }),
            "closedAccounts": .array(
                snapshot.problems.map { problem -> JSON in
                    [
                        "account": .string(problem.id.hex), "accountId": .optional(problem.tag?.accountId),
                        "upn": .optional(problem.tag?.upn), "status": .integer(Int64(problem.error.code.rawValue)),
                        "message": .string(problem.error.message), "detail": .object(problem.error.detail),
                    ]
                }),
            "wipes": .array(
                snapshot.wipes.map { entry -> JSON in
                    [
                        "account": .string(entry.account.hex), "accountId": .string(entry.accountId),
                        "reason": .string(entry.reason.rawValue),
                        "step": .integer(entry.step.rawValue), "filesLeft": .integer(entry.files?.retried ?? 0),
                        "nextReport": .optional(entry.nextReport?.rfc3339),
                    ]
                }),
            "unenrollments": .array(
                snapshot.unenrollments.all.map { one -> JSON in
                    [
                        "accountId": .string(one.accountId), "upn": .optional(one.upn),
                        "ended": .string(one.ended.rfc3339),
                        "nextReport": .optional(snapshot.unenrollments.next?.rfc3339),
                    ]
                }),
            "deviceHealth": try deviceHealth().json, "screenLock": screen.json,
            "testPolicy": settings.testPolicy?.json ?? .null, "queued": queued,
            "logFiles": ["paths": .strings(log.paths), "lostLines": .integer(log.lostLines)],
            "log": log.json,
        ]
    }

    /// When the service last answered, as this process and its accounts know; nothing for another authority.
    private func lastReached(_ snapshot: Snapshot) -> [JSON.Member] {
        guard settings.authority.isService else { return [] }
        let known = snapshot.accounts.compactMap(\.record.lastCheckIn) + [authority.lastReached].compactMap(\.self)
        return [("lastReached", .optional(known.max()?.rfc3339))]
    }

    private func appJSON() throws(MAMError) -> JSON {
        [
            "id": .string(settings.app.id), "version": .optional(settings.app.version),
            "group": .string(settings.app.group), "containingApp": .optional(settings.containingApp),
            "extensions": .strings(settings.isExtension ? [] : try listedExtensions()),
        ]
    }

    private var authorityJSON: JSON {
        .object(settings.authority.members + [("custody", .string(authority.custody.rawValue))])
    }

    private func listedExtensions() throws(MAMError) -> [String] {
        try state.read { (view, _) throws(MAMError) in try ExtensionList(view)?.ids ?? [] }
    }
}
