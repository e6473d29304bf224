import MAMPolicy
import MAMSupport

/// Whether an account's data may be opened and read now.
extension Account {
    /// Fails with `.locked` where the data is closed to readers: a launch found the account closed, or the screen is locked and the
    /// policy closes data meanwhile. `isOpen`: the file or stream was opened before.
    func checkReadable(_ screen: ScreenLock, isOpen: Bool = false) throws(MAMError) {
        try checkNotBlockedByLaunch()
        guard !lockedReading.allows(isOpen: isOpen), screen.isClosed() else { return }
        let reason = ownAccountPolicy.readWhileLocked(isOpen: isOpen).reason
        throw MAMError(
            .locked, "\(accountId): \(reason?.message ?? "the screen is locked"); unlock the screen",
            named.members + [
                ("reason", "screenLocked"), ("setting", .optional(reason?.setting)), ("value", reason?.value ?? .null),
                ("policyId", .optional(reason?.policyId)), ("policyName", .optional(reason?.policyName)),
            ], for: .refusedScreenLocked)
    }

    /// Fails where the account may not be used: its rows do not verify, or a launch found it closed. Writing needs no more.
    func checkUsable() throws(MAMError) {
        if let problem { throw problem }
        try checkNotBlockedByLaunch()
    }

    /// Fails with `.locked` where a launch found the account closed. Readers call ``checkReadable(_:isOpen:)``.
    func checkNotBlockedByLaunch() throws(MAMError) {
        guard let launchBlock else { return }
        throw MAMError(
            .locked, "\(accountId): \(launchBlock.message)\(launchBlock.remedy)",
            named.members + launchBlock.detail, for: launchBlock.cause.messageKey)
    }
}
