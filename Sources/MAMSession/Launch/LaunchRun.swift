import MAMPolicy
import MAMState
import MAMSupport

/// The launch checks of one launch, resume or switch. Each question and each check-in is a step, after which every account is
/// checked again.
struct LaunchRun: Sendable {
    enum Purpose: Sendable {
        /// A launch, and the outcome of the enrollment at it.
        case launch(EnrollmentStatus?)
        case resume
        /// A switch to these identities.
        case identities([Identity])
    }

    let purpose: Purpose
    /// The account whose check-in is the next step.
    var checkIn: AccountRowID?
    /// Accounts whose check-in was attempted.
    var checkedIn: Set<AccountRowID> = []
    /// Accounts whose check-in the authority answered.
    var answered: Set<AccountRowID> = []
    /// Accounts whose enrollment was gone: they check in a second time, which enrolls them again.
    var renewed: Set<AccountRowID> = []
    /// Findings for which accounts are wiped.
    var wiped: [LaunchReport.Finding] = []
    /// How persons have authenticated in this run: that holds for the run, however short the period of the policy.
    var methods: [AccountRowID: Set<AccessRecord.Method>] = [:]
    /// The conversation about an account's PIN that is under way.
    var pin: PINConversation?
    /// Whether the host was asked for its report of the device.
    var hasAskedForHealth = false
    /// Accounts whose person was asked for biometrics and enters the PIN instead.
    var withoutBiometrics: Set<AccountRowID> = []
    /// Accounts whose person was asked and did not authenticate.
    var declined: Set<AccountRowID> = []

    /// Whether it is a launch or a resume.
    var isLaunch: Bool { if case .identities = purpose { false } else { true } }

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// The enrolled accounts that the run checks.
    func accounts(in snapshot: Snapshot) -> [Account] {
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        guard case .identities(let names) = purpose else { return enrolled }
        let named = Set(names.compactMap { snapshot.find($0)?.row.id })
        return enrolled.filter { named.contains($0.row.id) }
    }

    /// The run after a person did not authenticate for an account.
    func declining(_ account: Account) -> LaunchRun {
        var next = self
        next.declined.insert(account.row.id)
        return next
    }
}

/// The outcome of one step of a run.
enum LaunchProgress {
    /// The step cannot go on now: the operation continues, or is abandoned, as the result says.
    case pending(StepResult)
    /// Take the next step.
    case next(LaunchRun)
    /// Every account was checked.
    case ended([CheckedAccount])
}

/// The findings about one account in a run.
struct CheckedAccount {
    let account: Account
    let found: LaunchReport.Account
}
