/// The hosts that a policy was written for, from its `@odata.type`; docs/policy.md "How values are read".
public enum Platform: Sendable, Hashable, CaseIterable {
    case ios, android, windows, linux
    /// The tenant-wide policy, `defaultManagedAppProtection`.
    case `default`
    /// No type, or one that this release does not know.
    case unknown

    /// The name in JSON.
    public var name: String {
        switch self {
        case .ios: "ios"
        case .android: "android"
        case .windows: "windows"
        case .linux: "linux"
        case .default: "default"
        case .unknown: "unknown"
        }
    }

    /// The hosts that the platform's versions and models belong to, in words.
    var hosts: String { self == .default ? "ios and android" : name }

    /// Parses an `@odata.type`, with or without "#".
    init(type: String) {
        self = if case .policy(let platform) = DocumentType(name: type) { platform } else { .unknown }
    }
}
