import MAMSupport

/// A value of a policy that was not understood and is read as the most restrictive one; docs/policy.md "How
/// values are read".
public struct PolicyWarning: Sendable, Equatable {
    /// The policy.
    public let policyId: String
    /// The property.
    public let setting: String
    /// What stands there.
    public let value: JSON
    /// One line for a person.
    public let message: String

    /// The shape of `policy.import`'s "warnings".
    public var json: JSON {
        ["policyId": .string(policyId), "setting": .string(setting), "value": value, "message": .string(message)]
    }
}
