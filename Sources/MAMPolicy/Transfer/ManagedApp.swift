import MAMSupport

/// A managed app's own entry in the registry; docs/transfer.md "Managed apps".
public struct ManagedApp: Sendable, Equatable {
    /// A managed account of the app.
    public struct Account: Sendable, Equatable {
        /// The id of the account's row in the app's own state.
        public let row: String
        public let accountId, upn, tenantId: String?

        /// Creates an account.
        public init(row: String, accountId: String?, upn: String?, tenantId: String?) {
            self.row = row
            self.accountId = accountId
            self.upn = upn
            self.tenantId = tenantId
        }

        /// Returns whether this folded name identifies the account.
        func isNamed(_ name: [UInt8]) -> Bool { [accountId, upn].contains { $0.map { Identity.fold($0) } == name } }
    }

    /// The programs that have checked in as this app, the most recent first.
    public private(set) var executables: [Executable]
    /// The app's managed accounts.
    public private(set) var accounts: [Account]

    /// The maximum number of programs that are kept: one app can have several.
    private static let maximumExecutables = 8

    /// Creates an empty entry.
    public init() { (executables, accounts) = ([], []) }

    /// Parses a registry entry; nil if it is malformed.
    public init?(json: JSON) {
        guard let executables = json["executables"]?.array, let accounts = json["accounts"]?.array else { return nil }
        self.executables = executables.compactMap { Executable(json: $0) }
        self.accounts = accounts.map {
            Account(
                row: $0["row"]?.string ?? "", accountId: $0["accountId"]?.string, upn: $0["upn"]?.string,
                tenantId: $0["tenantId"]?.string)
        }
    }

    /// The form in the registry.
    public var json: JSON {
        [
            "executables": .array(executables.map(\.json)),
            "accounts": .array(
                accounts.map { account in
                    [
                        "row": .string(account.row), "accountId": .optional(account.accountId),
                        "upn": .optional(account.upn), "tenantId": .optional(account.tenantId),
                    ]
                }),
        ]
    }

    /// Returns a copy with the account added or updated, and with the program that checked it in.
    public func with(_ account: Account, by executable: Executable?) -> ManagedApp {
        var copy = self
        if let place = accounts.firstIndex(where: { $0.row == account.row }) {
            copy.accounts[place] = account
        } else {
            copy.accounts.append(account)
        }
        if let executable, !executables.contains(executable) {
            // A new file replaces the one at the same path.
            let others = executables.filter { !$0.isSameFile(as: executable) && $0.path != executable.path }
            copy.executables = [executable] + others.prefix(ManagedApp.maximumExecutables - 1)
        }
        return copy
    }

    /// Returns a copy without the account; nil if no account is left.
    public func without(account row: String) -> ManagedApp? {
        var copy = self
        copy.accounts.removeAll { $0.row == row }
        return copy.accounts.isEmpty ? nil : copy
    }
}
