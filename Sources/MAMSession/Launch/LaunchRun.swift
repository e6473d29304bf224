import MAMPolicy
import MAMState
import MAMSupport

/// A launch, a resume or a switch on its way through the checks. Each question or check-in is a step of its own, after which it
/// is looked at everything anew.
struct LaunchRun: Sendable {
    /// Who waits for it.
    enum Purpose: Sendable {
        /// A launch, and how the enrollment at it ended.
        case launch(EnrollmentStatus?)
        case resume
        /// A switch to these.
        case identities([Identity])
    }

    let purpose: Purpose
    /// Accounts that have checked in, or could not.
    var checkedIn: Set<AccountRowID> = []
    /// Those of them that the authority answered.
    var answered: Set<AccountRowID> = []
    /// Accounts whose enrollment was gone: they check in twice, because the second time they enroll anew.
    var renewed: Set<AccountRowID> = []
    /// What was found for accounts that are wiped for it.
    var wiped: [LaunchReport.Finding] = []
    /// What persons have shown in this run: it holds for it, however short the period.
    var shown: [AccountRowID: Set<AccessRecord.Proof>] = [:]
    /// The conversation about an account's PIN that is under way.
    var pin: PINConversation?
    /// Whether the host was asked what it knows of the device.
    var hasAskedForHealth = false
    /// Who was asked for biometrics, and shows the PIN instead.
    var withoutBiometrics: Set<AccountRowID> = []
    /// Who was asked and did not show it.
    var declined: Set<AccountRowID> = []

    /// Whether it is a launch or a resume.
    var isLaunch: Bool { if case .identities = purpose { false } else { true } }

    init(_ purpose: Purpose) { self.purpose = purpose }
}

/// What a step of a run came to.
enum LaunchProgress {
    /// The operation goes on some other time.
    case outside(Outcome)
    /// Take the next step.
    case further(LaunchRun)
    /// Everything was looked at: what was found, and of which accounts.
    case ended([LaunchedAccount])
}

/// What a run found of one account.
struct LaunchedAccount {
    let account: Account
    let found: LaunchReport.Account
}
