/// The values that a configuration file may hold, named as their options.
enum ConfigurationKey: String, CaseIterable {
    case app, group, state, authority, account, settings
    case infoPlist = "info-plist"
    case testPolicy = "test-policy"
    case unknownIdentities = "unknown-identities"
    case telemetry

    var option: String { "--\(rawValue)" }

    /// The environment variable with the same meaning.
    var variable: String {
        switch self {
        case .app: "MAM_APP"
        case .group: "MAM_GROUP"
        case .state: "MAM_STATE"
        case .authority: "MAM_AUTHORITY"
        case .account: "MAM_IDENTITY"
        case .settings: "MAM_SETTINGS"
        case .infoPlist: "MAM_INFO_PLIST"
        case .testPolicy: "MAM_TEST_POLICY"
        case .unknownIdentities: "MAM_UNKNOWN_IDENTITIES"
        case .telemetry: "MAM_TELEMETRY"
        }
    }

    var isPath: Bool { [.state, .authority, .infoPlist, .testPolicy, .telemetry].contains(self) }

    /// The value where nothing gives one.
    var standard: String? { self == .authority ? "/var/lib/mam/authority.db" : nil }
}
