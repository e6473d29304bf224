import MAMAuthority
import MAMPolicy

/// The enrollment of an unregistered account, by `mam_login_and_enroll` or a launch.
struct SignIn: Sendable {
    /// The next step. A step restarts after a question, so each asks at most one.
    enum Step: Sendable {
        /// Enroll without asking anyone to sign in.
        case quietly(AccountName)
        /// Ask a person to sign in, after what the authority refused without one.
        case ask(refused: EnrollmentStatus?)
        /// Enroll the account that has signed in.
        case signedIn(AccountName)
    }

    /// The caller that waits for the result.
    enum Purpose: Sendable {
        case login
        /// A launch; it asks a person only if it requires a policy.
        case launch(mayAsk: Bool)
    }

    var step: Step
    /// The account that is expected to sign in.
    let hint: AccountName?
    let purpose: Purpose
    /// Whether the host named the account, rather than the device.
    var isNamed = false

    var isLaunch: Bool {
        if case .launch = purpose { true } else { false }
    }

    /// Whether the next step asks the authority or a provider.
    var waitsForNetwork: Bool { if case .ask = step { false } else { true } }

    /// Whether a person may be asked to sign in.
    var mayAsk: Bool {
        switch purpose {
        case .login: true
        case .launch(let mayAsk): mayAsk
        }
    }

    /// A copy at another step.
    func at(_ step: Step) -> SignIn {
        var next = self
        next.step = step
        return next
    }
}
