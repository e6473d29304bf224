import MAMPolicy
import MAMSupport

/// Where an account in an app stands at one moment. Policies are places on a ``PolicyShelf``.
struct Position: Hashable {
    let isKnown, isDisabled: Bool
    let refusal: Int?
    /// What a check-in brings.
    let delivered: [Int]
    /// What restricts the account: what was brought, and where a check-in is refused, what was there.
    let inForce: [Int]

    /// `kept` is what is in force where nothing is brought.
    init(_ holding: Holding?, kept: [Int]) {
        isKnown = holding != nil
        isDisabled = holding?.isDisabled ?? false
        refusal = holding?.refusal
        delivered = holding?.policies ?? []
        inForce = holding.map { $0.refusal == nil ? $0.policies : kept } ?? kept
    }

    var delivers: Bool { isKnown && refusal == nil }

    func json(_ shelf: PolicyShelf) -> JSON {
        let code = refusal.map { StatusCode(rawValue: .init(truncatingIfNeeded: $0)) }
        return [
            "known": .bool(isKnown), "delivers": .bool(delivers),
            "code": code.map { .integer(Int64($0.rawValue)) } ?? .null, "name": .optional(code?.name),
            "disabled": .bool(isDisabled),
            "policies": .array(
                delivered.map { place in
                    let policy = shelf.documents[place]
                    return ["id": .string(policy.id), "name": .string(policy.displayName)]
                }),
        ]
    }
}

/// What an account goes from, and to; and the other accounts that requests ask about. Nothing else decides.
struct Passage: Hashable {
    /// Another account, as this one sees it.
    enum Other: Hashable {
        case unmanaged, sameAccount
        case managed([Int], isSameTenant: Bool)
    }

    let before, after: Position
    let othersBefore, othersAfter: [Other]

    /// Nothing changes.
    var isNone: Bool { before == after && othersBefore == othersAfter }
}
