import MAMPolicy
import MAMState
import MAMSupport

/// One event of telemetry. The set of events and of their properties is closed; docs/telemetry.md lists it. No property is free text:
/// numbers, versions, and names of closed sets only.
struct TelemetryEvent: Sendable {
    let kind: Kind
    let properties: [(key: String, value: JSON)]

    /// The events.
    enum Kind: String, Sendable, CaseIterable {
        case appLaunch, enrollment, unenrollment, checkIn, wipe, action, eventsLost

        var privacyLevel: PrivacyLevel {
            switch self {
            case .action: .optionalDiagnosticData
            case .enrollment, .unenrollment, .checkIn, .wipe: .requiredServiceData
            case .appLaunch, .eventsLost: .requiredDiagnosticData
            }
        }

        var dataTypes: DataTypes {
            switch self {
            case .appLaunch: [.usage, .performance, .software]
            case .eventsLost: .performance
            case .wipe: .usage
            case .enrollment, .unenrollment, .checkIn, .action: [.usage, .performance]
            }
        }

        var priority: Priority {
            switch self {
            case .action: .low
            case .appLaunch, .enrollment, .unenrollment, .checkIn, .eventsLost: .normal
            case .wipe: .high
            }
        }
    }

    /// IntuneMAMTelemetryPrivacyLevel: the levels of mam.h.
    enum PrivacyLevel: Int32, Sendable, Comparable {
        case optionalDiagnosticData, requiredServiceData, requiredDiagnosticData
        static func < (a: PrivacyLevel, b: PrivacyLevel) -> Bool { a.rawValue < b.rawValue }
    }

    /// IntuneMAMTelemetryPrivacyDataTypes, as far as they occur.
    struct DataTypes: OptionSet, Sendable {
        let rawValue: Int32
        static let usage = DataTypes(rawValue: 1)
        static let performance = DataTypes(rawValue: 2)
        static let software = DataTypes(rawValue: 8)
    }

    /// IntuneMAMTelemetryPriorityLevel, as far as they occur.
    enum Priority: Int32, Sendable { case low = 1, normal, high }

    /// The event for the host.
    func json(of account: TelemetryAccount?, at time: Instant) -> JSON {
        [
            "name": .string(kind.rawValue), "time": .string(time.rfc3339), "account": .optional(account?.id),
            "tenant": .optional(account?.tenant), "privacyLevel": .integer(Int64(kind.privacyLevel.rawValue)),
            "dataTypes": .integer(Int64(kind.dataTypes.rawValue)), "priority": .integer(Int64(kind.priority.rawValue)),
            // Global: the embedded authority states no region.
            "region": 0, "properties": .object(properties),
        ]
    }
}

/// The account of an event. Names of people have no way into it.
struct TelemetryAccount: Sendable {
    let id: String?
    let tenant: String?

    /// `id` is dropped where it is, or may be, a UPN: that stands in for an object id that is not known.
    init(id: String?, upn: String?, tenant: String? = nil) {
        let isName = id.map { $0.utf8.contains(UInt8(ascii: "@")) || Identity.fold($0) == Identity.fold(upn ?? "") }
        self.id = isName == false ? id : nil
        self.tenant = tenant
    }

    init(_ account: Account) {
        self.init(id: account.record.accountId, upn: account.record.upn, tenant: account.record.tenantId)
    }

    init(_ entry: WipeEntry) { self.init(id: entry.accountId, upn: entry.upn, tenant: entry.tenantId) }
}
