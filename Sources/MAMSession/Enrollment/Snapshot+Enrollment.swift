import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrollment rules that depend on a snapshot only.
extension Snapshot {
    /// Whether enrolling is left to the containing app. An override may name one, too late to make the open session an extension's.
    func isExtension(_ opened: OpenSettings) -> Bool {
        opened.isExtension || settings.string(SettingKey.containingAppBundleId) != nil
    }

    /// The parameters of signing in, for questions to the host.
    func signIn(_ opened: OpenSettings) -> [(key: String, value: JSON)] {
        let scheme = settings.string(SettingKey.redirectScheme).map { "\($0)://\(opened.managedApp)" }
        return [
            ("authority", .optional(settings.string(SettingKey.authority))),
            ("clientId", .optional(settings.string(SettingKey.clientId))),
            ("redirectUri", .optional(settings.string(SettingKey.redirectUri) ?? scheme)),
        ]
    }

    /// The provider by the same settings, for a sign-in by libmam.
    var provider: ProviderSettings {
        var provider = ProviderSettings()
        provider.issuer = settings.string(SettingKey.authority)
        provider.clientId = settings.string(SettingKey.clientId)
        provider.redirectUri = settings.string(SettingKey.redirectUri)
        return provider
    }

    /// The reason why an account may not be registered here at all.
    func registrationRefusal(_ name: AccountName, _ opened: OpenSettings) -> StatusCode? {
        if isExtension(opened) { return .unsupportedAPI }
        // For an enrolled account, all of its names are checked, not only the given one.
        let enrolled = accounts.first { $0.isEnrolled && name.matches($0.record) }
        return enrolled.map { device.accounts.refusalCode(of: $0.record) } ?? device.accounts.refusalCode(of: name)
    }

    /// The reason why an account may not be managed beside the enrolled one.
    func refusalBesideEnrolled(_ candidate: Candidate) -> StatusCode? {
        guard !settings.bool(SettingKey.multiManagedIdentities),
            accounts.contains(where: { $0.isEnrolled && $0.row.id != candidate.row?.id })
        else { return nil }
        // If the enrolled account has to leave anyway, the host switches to the new one.
        let mustLeave = accounts.filter(\.isEnrolled).allSatisfy { device.accounts.refusalCode(of: $0.record) != nil }
        return mustLeave ? .switchExistingAccount : .singleManagedAccountMode
    }

    /// Whether a name belonged to an account that was wiped here; only a request of the host enrolls it again.
    func wasWiped(_ name: AccountName) -> Bool {
        guard let names = try? names.get() else { return false }
        return name.folded.contains { folded in names.isRetired(folded) && find(folded: folded) == nil }
    }

    /// Whether an account of this app is or was enrolled; also where only that cannot be read.
    var wasEverEnrolled: Bool {
        accounts.contains { $0.state != .registered || $0.record.isAuthorityForgotten }
            || !unopenable.isEmpty || !wipes.isEmpty || !unenrollments.all.isEmpty
            || (try? names.get())?.hasRetired != false
    }

    /// Whether one more account may be enrolled.
    var hasRoomForAccount: Bool {
        settings.bool(SettingKey.multiManagedIdentities) || !accounts.contains(where: \.isEnrolled)
    }

    /// Whether an account may be enrolled although the host did not name it: the device allows it, and it neither is nor was
    /// enrolled here.
    func mayEnroll(_ name: AccountName) -> Bool {
        guard !name.folded.isEmpty, device.accounts.refusalCode(of: name) == nil else { return false }
        let names = [name.accountId, name.upn].compactMap { $0.flatMap { try? Identity($0) } }
        return names.allSatisfy { one in
            switch status(of: one) {
            case .managed, .closed, .wiping, .retired: false
            case .unmanaged(let account): account?.isEnrolled != true
            case .unregisteredWorkName, .personal: true
            }
        }
    }
}

extension StateView {
    /// Assign an account its names: they are no other account's former names any more, and no longer retired. Dropped former names
    /// are retired.
    func takeNames(_ row: AccountRow, dropping former: [String]) throws(MAMError) {
        try accounts.takeNames(of: row)
        try names.restore(row.record.allNames)
        for name in row.record.allNames { try names.forget(name) }
        try names.retire(former, nil)
    }
}
