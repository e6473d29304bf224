import MAMSupport

/// The identities that a host acts for: not set, no user, or the names of accounts.
public struct IdentitySet: Sendable {
    /// Most names in one array.
    static let maximumCount = 64

    /// nil: not set. An empty name stands for no user.
    let members: [AccountArgument]?

    /// Not set: a less specific identity is in effect.
    static let notSet = IdentitySet(members: nil)
    /// One unknown personal account.
    static let noUser = IdentitySet(members: [.noUser])

    init(members: [AccountArgument]?) { self.members = members }

    init(_ argument: AccountArgument) {
        if case .notGiven = argument { self = .notSet } else { self.init(members: [argument]) }
    }

    /// From JSON: null, "", a name, or an array of names; an empty array is no user.
    public init(_ json: JSON, argument: String) throws(MAMError) {
        switch json {
        case .null: self = .notSet
        case .string(let text): self.init(members: [try AccountArgument(text, argument: argument)])
        case .array(let elements):
            guard elements.count <= IdentitySet.maximumCount else {
                throw .argument(
                    argument, "holds \(elements.count) names; at most \(IdentitySet.maximumCount) are taken")
            }
            var members: [AccountArgument] = []
            for element in elements {
                guard let text = element.string else {
                    throw MAMError(
                        .json, "\(argument) holds a JSON \(element.typeName); its elements must be strings",
                        [("argument", .string(argument))])
                }
                let member = try AccountArgument(text, argument: argument)
                if !members.contains(member) { members.append(member) }
            }
            self = members.isEmpty ? .noUser : IdentitySet(members: members)
        default:
            throw MAMError(
                .json, "\(argument) is a JSON \(json.typeName); it must be null, a string or an array of strings",
                [("argument", .string(argument))])
        }
    }

    /// The same with each account once, by the name that does not change.
    func stable(_ snapshot: Snapshot) -> IdentitySet {
        guard let members else { return self }
        var stable: [AccountArgument] = []
        for member in members.map(snapshot.stable) where !stable.contains(member) { stable.append(member) }
        return IdentitySet(members: stable)
    }

    /// The accounts among them.
    var names: [Identity] { (members ?? []).compactMap(\.identity) }
}
