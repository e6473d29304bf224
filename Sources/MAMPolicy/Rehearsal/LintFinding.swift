import MAMSupport

/// Something about a policy that an administrator should know before it is rolled out.
public struct LintFinding: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable, CaseIterable {
        /// It can remove data, or does not do what it seems to: settings that contradict each other, names and values that are
        /// not understood, apps and assignments that reach nobody.
        case warning
        /// It does nothing, here or at all.
        case note
    }

    /// What is the matter.
    public enum Kind: String, Sendable, CaseIterable {
        /// The property stands in no table.
        case unknown
        /// The value is not understood and is read as the most restrictive one.
        case value
        /// Two settings do not go together.
        case contradictory
        /// A setting that another one makes meaningless.
        case ineffective
        /// A property for another platform's hosts.
        case crossPlatform
        /// Nothing in this release acts on it.
        case notEnforced
        /// An assignment or app that reaches nobody, or others than it seems to.
        case reach
        /// It can have an account's data removed on this platform.
        case wipe
    }

    /// How much it matters.
    public let severity: Severity
    /// What is the matter.
    public let kind: Kind
    /// The property.
    public let setting: String
    /// The text that stands there.
    public let value: JSON
    /// One line: what happens, and what to do.
    public let message: String
    /// Of what wipes, the check of launches that finds it; nil for everything else.
    var check: String?
    /// Of what wipes for the device's health, the signals that each do it where settings do not say otherwise.
    var signals: [String] = []

    /// The shape of `mam_policy_lint`'s findings.
    public var json: JSON {
        [
            "severity": .string(severity.rawValue), "kind": .string(kind.rawValue), "setting": .string(setting),
            "value": value, "message": .string(message), "check": .optional(check), "signals": .strings(signals),
        ]
    }
}
