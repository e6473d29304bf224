import MAMValues

/// The question of libmam for a PIN, put to a person.
struct PINQuestion {
    private let question: JSON

    init(_ question: JSON) { self.question = question }

    /// Ask for the PIN.
    func ask(_ pins: PINSource) throws -> PINSource.Answer {
        let name = question["upn"].string ?? Text.value(question["accountId"])
        return question["purpose"].string == "new"
            ? try pins.choose(for: name, rule: PINQuestion.rule(question["rule"]), problem: whyNew)
            : try pins.enter(of: name, problem: whyAgain)
    }

    private var whyAgain: String? {
        guard question["reason"].string == "wrong" else { return nil }
        return "The PIN was wrong. Attempts left: \(Text.value(question["attemptsLeft"]))"
    }

    private var whyNew: String? {
        let lacks = question["lacks"].elements.compactMap(\.string).map { PINQuestion.words[$0] ?? $0 }
        if !lacks.isEmpty { return "That PIN " + lacks.joined(separator: ", ") + "." }
        switch question["reason"].string {
        case "expired": return "The PIN's time is over: choose another."
        case "tooWeak": return "The policy asks for more than the PIN has: choose another."
        default: return nil
        }
    }

    /// A PIN rule in words.
    static func rule(_ rule: JSON) -> String {
        let characters = rule["kind"].string == "passcode" ? "characters with a letter or a special one" : "digits"
        let simple = rule["simpleBlocked"] == .bool(true) ? ", nothing simple" : ""
        return "\(Text.value(rule["minimumLength"])) \(characters) or more\(simple)"
    }

    private static let words = [
        "tooShort": "is too short", "notDigits": "may have digits only",
        "noLetterOrSpecial": "needs a letter or a special character", "noDigit": "needs a digit",
        "noLetter": "needs a letter", "noSpecial": "needs a special character", "simple": "is too simple",
        "usedBefore": "was used before",
    ]
}
