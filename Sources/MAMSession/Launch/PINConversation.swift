import MAMPolicy
import MAMState
import MAMSupport

/// The state of asking a person for an account's PIN. Each step asks the host one question at most, so that it can be resumed
/// when the answer has come.
struct PINConversation: Sendable {
    enum Purpose: Sendable {
        /// Use the account's data: the PIN is entered, or set where there is none.
        case access
        /// Set a new PIN: the person signs in first.
        case reset
    }

    /// The reason why a new PIN has to be chosen.
    enum Need: String, Sendable { case notSet, expired, tooWeak, reset }

    /// The next step.
    enum Step: Sendable {
        case begin
        /// Ask for the PIN; `attemptsLeft` where the latest answer was wrong.
        case enter(attemptsLeft: Int?)
        /// Ask the person to sign in.
        case signIn
        /// Ask for a new PIN; `violations` where the latest answer violated rules.
        case choose(Need, violations: [String])
    }

    let account: AccountRowID
    let named: NamedAccount
    let purpose: Purpose
    var step = Step.begin
    /// Answers that could not be PINs at all. The host is not asked without end.
    var mistakes = 0
    static let maximumMistakes = 10

    init(_ account: Account, _ purpose: Purpose) {
        self.account = account.row.id
        self.named = account.named
        self.purpose = purpose
    }

    func at(_ step: Step) -> PINConversation {
        var next = self
        next.step = step
        return next
    }
}

/// The outcome of a step.
enum PINProgress {
    /// Take the next step at once.
    case next(PINConversation)
    /// Take the next step when this question is answered.
    case later(question: Int64)
    /// The session is closing: not finished in this session, and not at the next open (docs/events.md).
    case abandoned
    case ended(PINEnd)
}

/// The end of a conversation, as `mam_wait` returns it after `mam_pin_reset`.
public struct PINEnd: Sendable {
    /// The result.
    public enum Result: String, Sendable {
        /// The PIN was right, or none is required: the account may be used.
        case entered
        /// A new PIN was set: the account may be used.
        case changed
        /// The person has signed in: a new PIN may be set without the former one.
        case signedIn
        /// Nobody answered, or the person declined.
        case canceled
        /// Another person has signed in.
        case otherAccount
        /// Every attempt was used up, and the account is wiped in this app.
        case wiped
        /// The conversation could not continue.
        case failed

        /// Whether it succeeded.
        public var isGood: Bool { self == .entered || self == .changed || self == .signedIn }
    }

    /// The result.
    public let result: Result
    let account: NamedAccount
    /// One line that says what happened and what to do.
    public let message: String
    let time: Instant

    /// Whether the account's data may be shown, as far as the PIN is concerned.
    var opens: Bool { result == .entered || result == .changed }

    private var messageKey: MessageKey {
        switch result {
        case .entered: .pinEntered
        case .changed: .pinChanged
        case .signedIn: .pinSignedIn
        case .canceled: .errorCanceled
        case .otherAccount: .pinOtherAccount
        case .wiped: .pinUsedUpRemoved
        case .failed: .launchAccount
        }
    }

    /// As mam.h describes it, section 7.
    func json(in language: Language) -> JSON {
        let first: [(key: String, value: JSON)] = [
            ("result", .string(result.rawValue)), ("didSucceed", .bool(result.isGood)),
        ]
        return .object(
            first + account.members + [("message", .string(message)), ("time", .string(time.rfc3339))]
                + language.members(messageKey))
    }
}
