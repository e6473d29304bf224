import MAMSupport

/// What is known of one account of this app. Sealed under the account's own key, so a wipe takes it as well.
public struct AccountRecord: Equatable, Sendable {
    /// The object id; nil until the authority told it.
    public var accountId: String?
    /// The UPN; nil until known.
    public var upn: String?
    /// Names that it had in this app before, the latest last: they still mean this account.
    public private(set) var formerNames: [String] = []
    /// The tenant.
    public var tenantId: String?
    /// "registered", "enrolled" or "unenrolled": the raw values of MAMPolicy's `EnrollmentState`.
    public var state: String
    /// The authority's name for this enrollment.
    public var registration: String?
    /// Wipe requests up to this one do not concern this enrollment.
    public var wipeMark: Int64
    /// When the authority last answered a check-in.
    public var lastCheckIn: Instant?
    /// When to try next.
    public var nextCheckIn: Instant?
    /// When to try next once the host is in use, where it was not when that was planned.
    public var nextInUse: Instant?
    /// How often it failed since it last succeeded.
    public var failures: Int64
    /// The code of the latest request.
    public var lastCode: Int64?
    /// What it said, where it failed.
    public var lastMessage: String?
    /// The interval that the authority asked for.
    public var interval: TimeSpan?
    /// Whether the authority said that the user is disabled.
    public var isDisabled: Bool
    /// Whether the authority said that it does not know the enrollment any more (220).
    public var isGone: Bool
    /// Whether its enrollment is of a former device tag: it is to be replaced by one of the state's.
    public var isOfFormerTag = false
    /// Whether the host asked for the enrollment that is tried, and it has not succeeded since.
    public var isAskedFor = false
    /// What launches know of it, as MAMPolicy's `LaunchHistory` writes it.
    public var launch = JSON.null
    /// Whether the authority sent app configurations: then their row has to be there.
    var hasConfigurations = false
    /// The epoch of the newest data key since it was first rotated, 0 before: then that key has to be there.
    public var dataEpoch: Int64 = 0
    /// The domains of the tenant's names, where the authority states them.
    public var domains: [String] = []
    /// The authority's exchange keys are this enrollment's from this epoch on; 0 where it did not say.
    public var exchangeMark: Int64 = 0
    /// The authority that it is enrolled with, as MAMAuthority's `AuthorityIdentity` writes it; null where that signs nothing.
    public var authority = JSON.null
    /// Whether the authority was given up (`mam_forget_authority`): what the account has is closed to any other.
    public var isAside = false

    /// An account that was just registered.
    public init(accountId: String?, upn: String?, tenantId: String?, state: String) {
        self.accountId = accountId
        self.upn = upn
        self.tenantId = tenantId
        self.state = state
        self.wipeMark = 0
        self.failures = 0
        self.isDisabled = false
        self.isGone = false
    }

    var json: JSON {
        var members = members
        if !launch.isNull { members.append(("launch", launch)) }
        for (name, flag) in [("isOfFormerTag", isOfFormerTag), ("isAskedFor", isAskedFor)] where flag {
            members.append((name, .bool(true)))
        }
        for (name, strings) in [("formerNames", formerNames), ("domains", domains)] where !strings.isEmpty {
            members.append((name, .strings(strings)))
        }
        for (name, number) in [("dataEpoch", dataEpoch), ("exchangeMark", exchangeMark)] where number > 0 {
            members.append((name, .integer(number)))
        }
        if !authority.isNull { members.append(("authority", authority)) }
        if isAside { members.append(("isAside", true)) }
        return .object(members)
    }

    private var members: [(key: String, value: JSON)] {
        [
            ("accountId", .optional(accountId)), ("upn", .optional(upn)), ("tenantId", .optional(tenantId)),
            ("state", .string(state)), ("registration", .optional(registration)), ("wipeMark", .integer(wipeMark)),
            ("lastCheckIn", AccountRecord.time(lastCheckIn)), ("nextCheckIn", AccountRecord.time(nextCheckIn)),
            ("nextInUse", AccountRecord.time(nextInUse)),
            ("failures", .integer(failures)), ("lastCode", lastCode.map(JSON.integer) ?? .null),
            ("lastMessage", .optional(lastMessage)),
            ("interval", .optional(interval?.iso8601)), ("isDisabled", .bool(isDisabled)), ("isGone", .bool(isGone)),
            ("hasConfigurations", .bool(hasConfigurations)),
        ]
    }

    init(json: JSON) {
        accountId = json["accountId"]?.string
        upn = json["upn"]?.string
        formerNames = AccountTag.names(json["formerNames"])
        domains = AccountTag.names(json["domains"])
        tenantId = json["tenantId"]?.string
        state = json["state"]?.string ?? "registered"
        registration = json["registration"]?.string
        wipeMark = json["wipeMark"]?.integer ?? 0
        lastCheckIn = json["lastCheckIn"]?.integer.map(Instant.init(milliseconds:))
        nextCheckIn = json["nextCheckIn"]?.integer.map(Instant.init(milliseconds:))
        nextInUse = json["nextInUse"]?.integer.map(Instant.init(milliseconds:))
        failures = json["failures"]?.integer ?? 0
        lastCode = json["lastCode"]?.integer
        lastMessage = json["lastMessage"]?.string
        interval = json["interval"]?.string.flatMap(TimeSpan.init(iso8601:))
        isDisabled = json["isDisabled"]?.bool ?? false
        isGone = json["isGone"]?.bool ?? false
        launch = json["launch"] ?? .null
        isOfFormerTag = json["isOfFormerTag"]?.bool ?? false
        isAskedFor = json["isAskedFor"]?.bool ?? false
        hasConfigurations = json["hasConfigurations"]?.bool ?? false
        dataEpoch = json["dataEpoch"]?.integer ?? 0
        exchangeMark = json["exchangeMark"]?.integer ?? 0
        authority = json["authority"] ?? .null
        isAside = json["isAside"]?.bool ?? false
    }

    private static func time(_ instant: Instant?) -> JSON { instant.map { .integer($0.milliseconds) } ?? .null }
}

extension AccountRecord {
    /// How many former names an account keeps.
    public static let mostFormerNames = 16

    /// Every name that means this account.
    public var allNames: [String] { [accountId, upn].compactMap(\.self) + formerNames }

    /// Take the names that the authority states. Names that it had until now become former names; the result is the former
    /// names that no longer fit, which the caller retires.
    public mutating func rename(accountId newId: String, upn newUPN: String) -> [String] {
        let former = [accountId, upn].compactMap(\.self)
        (accountId, upn) = (newId, newUPN)
        let current = [newId, newUPN].map { Identity.fold($0) }
        for name in former where !current.contains(Identity.fold(name)) {
            forget(formerName: Identity.fold(name))
            formerNames.append(name)
        }
        for name in current { forget(formerName: name) }
        let dropped = formerNames.dropLast(AccountRecord.mostFormerNames)
        formerNames.removeFirst(dropped.count)
        return Array(dropped)
    }

    /// Another account has this name now.
    mutating func forget(formerName folded: [UInt8]) { formerNames.removeAll { Identity.fold($0) == folded } }
}
