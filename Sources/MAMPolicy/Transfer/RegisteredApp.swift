import MAMSupport

/// An app of the registry, and whether its entry is currently trusted.
public struct RegisteredApp: Sendable {
    /// The app id.
    public let id: String
    /// The app's entry; nil if it does not verify.
    public let entry: ManagedApp?
    /// The reason that the app does not count as managed; nil if it does.
    public let problem: String?

    /// Creates an app; `isListed` is nil if the asking app has no account whose authority lists managed apps, `programs` are the
    /// entry's executables that are unchanged.
    public init(id: String, entry: ManagedApp?, isListed: Bool?, programs: [Executable]) {
        self.id = id
        self.entry = entry
        problem =
            if entry == nil {
                "its entry in the registry does not verify: it was changed outside libmam"
            } else if entry?.accounts.isEmpty != false {
                "it has no account under policy"
            } else if isListed == nil {
                "the asking app has no account under policy, whose authority would say which apps are managed"
            } else if isListed == false {
                "the authority has no policy for it"
            } else if programs.isEmpty {
                "its program was changed or replaced since it last checked in"
            } else {
                nil
            }
    }

    /// Whether the app is managed.
    public var isManaged: Bool { problem == nil }

    /// Returns whether the app has checked in as this program and recorded it as an interpreter.
    func runsOthers(as program: Executable) -> Bool {
        entry?.executables.contains { $0.runsOthers && $0.isSameFile(as: program) } == true
    }

    /// An element of the reply of `mam_managed_apps`.
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
