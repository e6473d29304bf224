import MAMPolicy
import MAMState
import MAMSupport

/// A person and an account's PIN: how far they are. Each step asks the host for one thing at most, so that it can be taken up
/// again when the answer is there.
struct PINConversation: Sendable {
    /// What it is for.
    enum Purpose: Sendable {
        /// To use the account's data: the PIN is entered, or set where there is none.
        case access
        /// To set it anew: the person signs in first.
        case reset
    }

    /// Why a new PIN has to be chosen.
    enum Need: String, Sendable { case notSet, expired, tooWeak, reset }

    /// What comes next.
    enum Step: Sendable {
        case begin
        /// Ask for the PIN; `attemptsLeft` where the latest answer was wrong.
        case enter(attemptsLeft: Int?)
        /// Ask the person to sign in.
        case signIn
        /// Ask for a new PIN, and say what the latest one lacked.
        case choose(Need, lacks: [String])
    }

    let account: AccountRowID
    let named: NamedAccount
    let purpose: Purpose
    var step = Step.begin
    /// How many answers could not be PINs at all: a host that gives no others is not asked for ever.
    var mistakes = 0
    static let mistakesBorne = 10

    init(_ account: AccountRowID, _ named: NamedAccount, _ purpose: Purpose) {
        self.account = account
        self.named = named
        self.purpose = purpose
    }

    func at(_ step: Step) -> PINConversation {
        var next = self
        next.step = step
        return next
    }
}

/// What a step of the conversation came to.
enum PINProgress {
    /// Goes on with this, at once.
    case next(PINConversation)
    /// Goes on when this question is answered.
    case later(question: Int64)
    /// The session closes.
    case abandoned
    case ended(PINEnd)
}

/// How a conversation ended, as `mam_wait` hands it out after `mam_pin_reset`.
public struct PINEnd: Sendable {
    /// What it came to.
    public enum Result: String, Sendable {
        /// The PIN was right, or none is asked for: the account may be used.
        case entered
        /// A new one was set: the account may be used.
        case changed
        /// The person has signed in: a new one may be set without the former.
        case signedIn
        /// Nobody answered, or the person does not want to.
        case canceled
        /// Another person has signed in.
        case otherAccount
        /// Every attempt was used up, and the account is wiped in this app.
        case wiped
        /// It could not be done.
        case failed

        /// Whether it went well.
        public var isGood: Bool { self == .entered || self == .changed || self == .signedIn }
    }

    /// What it came to.
    public let result: Result
    let account: NamedAccount
    /// One line: what happened and what to do.
    public let message: String
    let time: Instant

    /// Whether the account's data may be shown, as far as the PIN is concerned.
    var opens: Bool { result == .entered || result == .changed }

    /// As mam.h describes it, section 7.
    var json: JSON {
        let first: [(key: String, value: JSON)] = [
            ("result", .string(result.rawValue)), ("didSucceed", .bool(result.isGood)),
        ]
        return .object(
            first + account.members + [("message", .string(message)), ("time", .string(time.rfc3339))])
    }
}
