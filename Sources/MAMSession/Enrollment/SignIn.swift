import MAMAuthority
import MAMPolicy

/// An account on its way to be enrolled without having been registered: `mam_login_and_enroll`, and a launch.
struct SignIn: Sendable {
    /// How far it is. Each step is carried out anew after a question, so none asks about more than one thing.
    enum Step: Sendable {
        /// Enroll with what is at hand; nobody is asked to sign in.
        case quietly(AccountName)
        /// Ask who signs in.
        case ask
        /// Enroll who has signed in.
        case signedIn(AccountName)
    }

    /// Who waits for it.
    enum Purpose: Sendable {
        case login
        /// A launch, which lets a person be asked only where it needs a policy.
        case launch(mayAsk: Bool)
    }

    var step: Step
    /// Who is expected to sign in.
    let hint: AccountName?
    let purpose: Purpose
    /// Whether the host has named the account, not the device.
    var isNamed = false

    var isLaunch: Bool {
        if case .launch = purpose { true } else { false }
    }

    /// Whether a person may be asked to sign in.
    var mayAsk: Bool {
        switch purpose {
        case .login: true
        case .launch(let mayAsk): mayAsk
        }
    }

    /// The same at another step.
    func at(_ step: Step) -> SignIn {
        var next = self
        next.step = step
        return next
    }
}
