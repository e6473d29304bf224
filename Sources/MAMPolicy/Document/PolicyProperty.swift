import MAMSupport

/// A property of a policy and its status; `policy.show` in docs/authority.md.
public struct PolicyProperty: Sendable {
    /// The status of a property.
    public enum Status: String, Sendable, CaseIterable {
        /// This release enforces it.
        case enforced
        /// The property is known, and not applicable for the reason in the note.
        case notApplicable
        /// The property is not known. It is kept and reported.
        case unknown
    }

    /// The property's name.
    public let name: String
    /// The value in the policy.
    public let value: JSON
    /// The status.
    public let status: Status
    /// The way that it is enforced, or the reason that it is not; "" for unknown properties.
    public let note: String

    /// An element of "properties" in the reply of `policy.show`.
    public var json: JSON {
        ["property": .string(name), "value": value, "status": .string(status.rawValue), "note": .string(note)]
    }
}
