/// In which form a copy of an account's file may leave.
public enum ExportForm: Sendable {
    /// As it is: anybody may read it.
    case plain
    /// Under the account's exchange key: only managed apps of the account read it.
    case forManagedApps
}

extension Party {
    /// The form of what this account may export at all; docs/exchange.md "Export". Where its data may go to all apps, no managed
    /// receiver is demanded.
    public var exportForm: ExportForm {
        rules.outbound == .allApps ? .plain : .forManagedApps
    }

    /// Whether files that come in of nobody known are this account's; docs/exchange.md "Import". Means something only where data
    /// may come from all apps.
    public var takesUnknownFiles: Bool {
        policy != nil && rules.inbound == .allApps && rules.takesUnknownFiles
    }

    /// Whether files of this account have to be encrypted.
    public var encryptsFiles: Bool { rules.isEncryptionRequired }
}
