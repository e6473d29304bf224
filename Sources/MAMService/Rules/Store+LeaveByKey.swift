import MAMDirectory
import MAMPolicy
import MAMSupport

extension Store {
    /// End the registration of a key because its app leaves; nothing happens where it has ended. Returns the wipe that the app has
    /// to carry out before, nil for none: the registration then ends with the report of the wipe.
    func unenroll(_ holder: Registrant, now: Instant) throws(MAMError) -> RegistrationWipe? {
        if let wipe = try requiredWipe(of: holder, HostFacts(ofReportBy: holder, generation: 0)) { return wipe }
        guard holder.end == nil else { return nil }
        try raiseSequence()
        try remove(holder)
        try rotateExchangeKey(accountKey: holder.accountKey)
        try end(holder.registration, .unenrolled, now: now)
        return nil
    }

    /// Record that a registration's data is wiped, which ends it alone; a newer one of the same app is left. `wipe` is nil where
    /// nobody ordered it. The same report again changes nothing.
    func reportWipe(
        _ holder: Registrant, wipe: Int64?, reason: WipeReason, host: HostFacts, now: Instant
    ) throws(MAMError) {
        guard holder.end != .wiped else { return }
        try raiseSequence()
        let app = AppFacts(id: holder.app)
        try recordWiped(
            holder.registration, accountKey: holder.accountKey, after: holder.wipeMark, app: app,
            tags: [host.deviceTag, holder.deviceTag], now: now)
        try recordEnd(
            RegistrationWipe(id: wipe, reason: reason), holder.registration, accountKey: holder.accountKey, app: app,
            host: host, now: now)
        // A wipe that was ordered began a new epoch with the order.
        if wipe == nil { try rotateExchangeKey(accountKey: holder.accountKey) }
        try remove(holder)
        try end(holder.registration, .wiped, wipe: wipe, now: now)
    }

    /// Remove the registration of a key, if it is there.
    func remove(_ holder: Registrant) throws(MAMError) {
        guard let user = try holder.user(in: self),
            let kept = try registration(holder.registration, of: user, in: AppFacts(id: holder.app))
        else { return }
        try remove(kept)
    }
}
