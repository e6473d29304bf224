import MAMSupport

/// An app of the registry, and whether it is to be believed now.
public struct RegisteredApp: Sendable {
    /// Its id.
    public let id: String
    /// What it says of itself; nil where that does not verify.
    public let entry: ManagedApp?
    /// Why it counts as managed no more, or never did; nil where it is managed.
    public let problem: String?

    /// `programs` are those of the entry that still are the files that they were.
    public init(id: String, entry: ManagedApp?, isListed: Bool, programs: [Executable]) {
        self.id = id
        self.entry = entry
        problem =
            if entry == nil {
                "its entry in the registry does not verify: it was changed outside libmam"
            } else if entry?.accounts.isEmpty != false {
                "it has no account under policy"
            } else if !isListed {
                "the authority has no policy for it"
            } else if programs.isEmpty {
                "its program was changed or replaced since it last checked in"
            } else {
                nil
            }
    }

    /// Whether it is managed.
    public var isManaged: Bool { problem == nil }

    /// Whether a program is one that it has checked in with and that runs any other.
    func runsOthers(as program: Executable) -> Bool {
        entry?.executables.contains { $0.runsOthers && $0.isSameFile(as: program) } == true
    }

    /// The shape of an element of `mam_managed_apps`.
    public var json: JSON {
        [
            "appId": .string(id), "managed": .bool(isManaged), "problem": .optional(problem),
            "executables": .strings(entry?.executables.map(\.path) ?? []),
            "accounts": .array(
                (entry?.accounts ?? []).map { account in
                    [
                        "accountId": .optional(account.accountId), "upn": .optional(account.upn),
                        "tenantId": .optional(account.tenantId),
                    ]
                }),
        ]
    }
}
