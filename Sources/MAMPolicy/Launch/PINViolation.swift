/// A requirement that a chosen PIN does not meet. Neither the name nor the message reveals anything about the PIN.
public enum PINViolation: Hashable, Sendable {
    case tooShort(minimum: Int)
    /// A numeric PIN may contain only digits.
    case notDigits
    case noLetterOrSpecial
    case noDigit, noLetter, noSpecial
    /// Three characters in a row are equal, or follow each other.
    case simple
    /// The PIN is among the latest ones.
    case usedBefore(count: Int)

    /// Returns the requirement with this name in JSON; nil if there is none.
    public init?(_ name: String, of rule: PINRule) {
        let all: [PINViolation] = [
            .tooShort(minimum: rule.minimumLength), .notDigits, .noLetterOrSpecial, .noDigit, .noLetter, .noSpecial,
            .simple, .usedBefore(count: rule.previousBlocked),
        ]
        guard let found = all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The name in JSON.
    public var name: String {
        switch self {
        case .tooShort: "tooShort"
        case .notDigits: "notDigits"
        case .noLetterOrSpecial: "noLetterOrSpecial"
        case .noDigit: "noDigit"
        case .noLetter: "noLetter"
        case .noSpecial: "noSpecial"
        case .simple: "simple"
        case .usedBefore: "usedBefore"
        }
    }

    /// The requirement in words, to follow "the PIN ".
    public var message: String {
        switch self {
        case .tooShort(let minimum): "needs \(minimum) characters or more"
        case .notDigits: "may have digits only"
        case .noLetterOrSpecial: "needs a letter or a special character"
        case .noDigit: "needs a digit"
        case .noLetter: "needs a letter"
        case .noSpecial: "needs a special character"
        case .simple: "may not have three characters in a row that are equal or follow each other"
        case .usedBefore(1): "may not be the one it replaces"
        case .usedBefore(let count): "may not be one of the latest \(count)"
        }
    }
}
