import MAMSupport

/// One property of a policy and what becomes of it here; `policy.show` in docs/authority.md.
public struct PolicyProperty: Sendable {
    /// What becomes of a property.
    public enum Status: String, Sendable, CaseIterable {
        /// This release acts on it.
        case enforced
        /// Known; the note says why nothing acts on it here.
        case notApplicable
        /// In no table; kept, and reported.
        case unknown
    }

    /// The property.
    public let name: String
    /// What stands in the policy.
    public let value: JSON
    /// What becomes of it.
    public let status: Status
    /// How, or why not; "" for unknown ones.
    public let note: String

    /// The shape of `policy.show`'s "properties".
    public var json: JSON {
        ["property": .string(name), "value": value, "status": .string(status.rawValue), "note": .string(note)]
    }
}
