import MAMSupport

/// What a managed app says of itself in the registry; docs/transfer.md "Managed apps".
public struct ManagedApp: Sendable, Equatable {
    /// An account that it has under policy.
    public struct Account: Sendable, Equatable {
        /// The account's row in the state of the app, which alone knows what it means.
        public let row: String
        public let accountId, upn, tenantId: String?

        /// An account of this app.
        public init(row: String, accountId: String?, upn: String?, tenantId: String?) {
            self.row = row
            self.accountId = accountId
            self.upn = upn
            self.tenantId = tenantId
        }

        /// Whether a name means it.
        func isNamed(_ name: [UInt8]) -> Bool { [accountId, upn].contains { $0.map { Identity.fold($0) } == name } }
    }

    /// The programs that have checked in as this app, the latest first.
    public private(set) var executables: [Executable]
    /// Those that it has under policy.
    public private(set) var accounts: [Account]

    /// Programs that are remembered at most; several can be one app.
    private static let mostExecutables = 8

    /// An app without anything.
    public init() { (executables, accounts) = ([], []) }

    /// From the registry; nil where it is no entry.
    public init?(json: JSON) {
        guard let executables = json["executables"]?.array, let accounts = json["accounts"]?.array else { return nil }
        self.executables = executables.compactMap { Executable(json: $0) }
        self.accounts = accounts.map {
            Account(
                row: $0["row"]?.string ?? "", accountId: $0["accountId"]?.string, upn: $0["upn"]?.string,
                tenantId: $0["tenantId"]?.string)
        }
    }

    /// As the registry keeps it.
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

    /// The same with an account that has policy, checked in by a program.
    public func with(_ account: Account, by executable: Executable?) -> ManagedApp {
        var copy = self
        if let place = accounts.firstIndex(where: { $0.row == account.row }) {
            copy.accounts[place] = account
        } else {
            copy.accounts.append(account)
        }
        if let executable, !executables.contains(executable) {
            // A new file at a known path takes the old one's place.
            let others = executables.filter { !$0.isSameFile(as: executable) && $0.path != executable.path }
            copy.executables = [executable] + others.prefix(ManagedApp.mostExecutables - 1)
        }
        return copy
    }

    /// The same without an account; nil where none is left.
    public func without(account row: String) -> ManagedApp? {
        var copy = self
        copy.accounts.removeAll { $0.row == row }
        return copy.accounts.isEmpty ? nil : copy
    }
}
