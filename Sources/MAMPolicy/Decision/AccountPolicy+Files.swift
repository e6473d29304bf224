/// The form in which a copy of an account's file is exported.
public enum ExportForm: Sendable {
    /// Plain: anyone can read it.
    case plain
    /// Sealed with the account's exchange key, which only the account's managed apps have.
    case forManagedApps
}

extension AccountPolicy {
    /// The form of files that this account may export; docs/exchange.md "Export". Files are plain if data may go to all apps.
    public var exportForm: ExportForm {
        rules.outbound == .allApps ? .plain : .forManagedApps
    }

    /// Whether the account takes ownership of incoming files of unknown owners; docs/exchange.md "Import". Meaningful only
    /// where data may come from all apps.
    public var takesUnknownFiles: Bool {
        policy != nil && rules.inbound == .allApps && rules.takesUnknownFiles
    }

    /// Whether this account's files must be encrypted.
    public var encryptsFiles: Bool { rules.isEncryptionRequired }
}
