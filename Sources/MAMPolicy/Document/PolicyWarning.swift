import MAMSupport

/// A value of a policy that was not understood and is read as the strictest one; docs/policy.md "How values are read".
public struct PolicyWarning: Sendable, Equatable {
    /// The policy's id.
    public let policyId: String
    /// The property's name.
    public let setting: String
    /// The value in the policy.
    public let value: JSON
    /// One line for a person.
    public let message: String

    /// An element of "warnings" in the reply of `policy.import`.
    public var json: JSON {
        ["policyId": .string(policyId), "setting": .string(setting), "value": value, "message": .string(message)]
    }
}
