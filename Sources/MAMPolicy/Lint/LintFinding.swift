import MAMSupport

/// A finding about a policy for the administrator, before the policy is rolled out.
public struct LintFinding: Sendable, Equatable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, CaseIterable {
        /// The policy can wipe data, or does not do what it seems to: contradictory settings, unknown names and values, apps
        /// and assignments that reach nobody.
        case warning
        /// The setting has no effect, here or at all.
        case note
    }

    /// The kind of a finding.
    public enum Kind: String, Sendable, CaseIterable {
        /// The property is not known.
        case unknown
        /// The value is not understood and is read as the most restrictive one.
        case value
        /// Two settings contradict each other.
        case contradictory
        /// Another setting makes this one ineffective.
        case ineffective
        /// The property applies to hosts of another platform.
        case crossPlatform
        /// This release does not enforce the property.
        case notEnforced
        /// An assignment or app reaches nobody, or others than it seems to.
        case reach
        /// The property can wipe an account on this platform.
        case wipe
    }

    /// The severity.
    public let severity: Severity
    /// The kind.
    public let kind: Kind
    /// The property.
    public let setting: String
    /// The property's value in the document.
    public let value: JSON
    /// One line that says what happens and what to do.
    public let message: String
    /// The launch check that wipes; nil for other kinds.
    var check: String?
    /// The device health signals that can each wipe by default; empty for other kinds.
    var signals: [String] = []

    /// An element of "findings" in the reply of `mam_policy_lint`.
    public var json: JSON {
        [
            "severity": .string(severity.rawValue), "kind": .string(kind.rawValue), "setting": .string(setting),
            "value": value, "message": .string(message), "check": .optional(check), "signals": .strings(signals),
        ]
    }
}
