import MAMPolicy
import MAMSupport

/// The record of an account of this app. It is sealed under the account's own key, so that a wipe destroys it, too.
public struct AccountRecord: Equatable, Sendable {
    /// The account id; nil until the authority states it.
    public var accountId: String?
    /// The UPN; nil while it is unknown.
    public var upn: String?
    /// Former names of the account in this app, the latest last. They still identify it.
    public private(set) var formerNames: [String] = []
    /// The tenant id.
    public var tenantId: String?
    /// The state of its enrollment; ``advance(_:)`` changes it. A test policy enrolls without it.
    public private(set) var state: EnrollmentState
    /// The authority's id of the enrollment.
    public var registration: String?
    /// The last wipe request before this enrollment; it and earlier ones do not apply.
    public var wipeMark: Int64
    /// The time of the last check-in that the authority answered.
    public var lastCheckIn: Instant?
    /// The time of the latest request, answered or not.
    public var lastAttempt: Instant?
    /// The time of the next attempt to check in.
    public var nextCheckIn: Instant?
    /// The time of the next attempt once the host is in use, planned while it was idle.
    public var nextInUse: Instant?
    /// Failures since the last success.
    public var failures: Int64
    /// The result code of the latest request.
    public var lastCode: Int64?
    /// The message of the latest request, if it failed.
    public var lastMessage: String?
    /// The check-in interval that the authority requests.
    public var interval: TimeSpan?
    /// Whether the authority reports that the user is disabled.
    public var isDisabled: Bool
    /// Whether the authority reports that the enrollment does not exist (220).
    public var isGone: Bool
    /// When an enrollment that the authority had lost was replaced; nil for never.
    public var renewed: Instant?
    /// Whether the enrollment was made with a former device tag and must be replaced.
    public var isOfFormerTag = false
    /// Whether the host requested the enrollment in progress. Cleared on success.
    public var isAskedFor = false
    /// The launch history, as encoded by MAMPolicy's `LaunchHistory`.
    public var launch = JSON.null
    /// Whether the authority sent app configurations. Their row must then exist.
    var hasConfigurations = false
    /// The epoch of the newest data key, 0 before the first rotation. That key must then exist.
    public var dataEpoch: Int64 = 0
    /// The tenant's domains, where the authority states them.
    public var domains: [String] = []
    /// The first epoch of the authority's exchange keys that belongs to this enrollment; 0 where the authority states none.
    public var exchangeMark: Int64 = 0
    /// The authority of the enrollment, as encoded by MAMAuthority's `AuthorityIdentity`; null for an authority that signs nothing.
    public var authority = JSON.null
    /// Whether the account's authority was forgotten (`mam_forget_authority`). Its data stays closed to any other authority.
    public var isAuthorityForgotten = false

    /// A newly registered account.
    public init(accountId: String?, upn: String?, tenantId: String?, state: EnrollmentState = .registered) {
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
        if isAuthorityForgotten { members.append(("isAside", true)) }
        if renewed != nil { members.append(("renewed", AccountRecord.time(renewed))) }
        return .object(members)
    }

    private var members: [(key: String, value: JSON)] {
        [
            ("accountId", .optional(accountId)), ("upn", .optional(upn)), ("tenantId", .optional(tenantId)),
            ("state", .string(state.rawValue)), ("registration", .optional(registration)),
            ("wipeMark", .integer(wipeMark)),
            ("lastCheckIn", AccountRecord.time(lastCheckIn)), ("lastAttempt", AccountRecord.time(lastAttempt)),
            ("nextCheckIn", AccountRecord.time(nextCheckIn)), ("nextInUse", AccountRecord.time(nextInUse)),
            ("failures", .integer(failures)), ("lastCode", lastCode.map(JSON.integer) ?? .null),
            ("lastMessage", .optional(lastMessage)),
            ("interval", .optional(interval?.iso8601)), ("isDisabled", .bool(isDisabled)), ("isGone", .bool(isGone)),
            ("hasConfigurations", .bool(hasConfigurations)),
        ]
    }

    init(json: JSON) throws(MAMError) {
        accountId = json["accountId"]?.string
        upn = json["upn"]?.string
        formerNames = AccountTag.names(json["formerNames"])
        domains = AccountTag.names(json["domains"])
        tenantId = json["tenantId"]?.string
        state = try AccountRecord.state(json["state"]?.string)
        registration = json["registration"]?.string
        wipeMark = json["wipeMark"]?.integer ?? 0
        lastCheckIn = json["lastCheckIn"]?.integer.map(Instant.init(milliseconds:))
        lastAttempt = json["lastAttempt"]?.integer.map(Instant.init(milliseconds:))
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
        isAuthorityForgotten = json["isAside"]?.bool ?? false
        renewed = json["renewed"]?.integer.map(Instant.init(milliseconds:))
    }

    /// A state that only a newer release knows may forbid anything: its account stays closed.
    private static func state(_ text: String?) throws(MAMError) -> EnrollmentState {
        guard let text else { return .registered }
        guard let state = EnrollmentState(rawValue: text) else {
            throw MAMError(
                .tampered, "the state of an account's enrollment, \"\(text)\", is unknown to this release of libmam",
                [("table", "accounts")])
        }
        return state
    }

    private static func time(_ instant: Instant?) -> JSON { instant.map { .integer($0.milliseconds) } ?? .null }
}

extension AccountRecord {
    /// Advance the state by an event, by the rules of `EnrollmentState`. Fails and changes nothing if another process was faster.
    public mutating func advance(_ event: EnrollmentEvent) throws(MAMError) {
        guard let next = state.after(event) else {
            throw MAMError(.already, "the account is \(state.rawValue) meanwhile; nothing was changed")
        }
        state = next
    }

    /// The history of the account's launches.
    public var launchHistory: LaunchHistory {
        get { LaunchHistory(json: launch) }
        set { launch = newValue.json }
    }

    /// The maximum number of former names.
    public static let maximumFormerNames = 16

    /// Every name that identifies the account.
    public var allNames: [String] { [accountId, upn].compactMap(\.self) + formerNames }

    /// The account id and the UPN, folded.
    public var presentNames: [[UInt8]] { [accountId, upn].compactMap { $0.map { Identity.fold($0) } } }

    /// Set the names that the authority states; the present ones become former names. Returns the former names beyond the limit,
    /// which the caller retires.
    public mutating func rename(accountId newId: String, upn newUPN: String) -> [String] {
        let former = [accountId, upn].compactMap(\.self)
        (accountId, upn) = (newId, newUPN)
        let current = [newId, newUPN].map { Identity.fold($0) }
        for name in former where !current.contains(Identity.fold(name)) {
            forget(formerName: Identity.fold(name))
            formerNames.append(name)
        }
        for name in current { forget(formerName: name) }
        let dropped = formerNames.dropLast(AccountRecord.maximumFormerNames)
        formerNames.removeFirst(dropped.count)
        return Array(dropped)
    }

    /// Remove a former name that identifies another account now.
    mutating func forget(formerName folded: [UInt8]) { formerNames.removeAll { Identity.fold($0) == folded } }
}
