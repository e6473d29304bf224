import MAMPolicy
import MAMSupport

/// Why an account is closed in a session: reads and predicates are refused, what is open can still be protected.
struct LaunchGuard: Sendable, Equatable {
    /// What was found, the severest first; never empty.
    let findings: [LaunchReport.Finding]

    /// nil where nothing of it closes an account.
    init?(_ findings: [LaunchReport.Finding]) {
        let closing = findings.filter { $0.action != .warn }
        guard !closing.isEmpty else { return nil }
        self.findings = LaunchReport(closing, time: Instant(milliseconds: 0)).findings
    }

    /// The finding that decides.
    private var first: LaunchReport.Finding { findings[0] }

    /// Why the account must be hidden.
    var reason: BlockReason {
        if first.action == .prompt { return .conditionalLaunchCanceled }
        return findings.allSatisfy { $0.check == LaunchCheck.clockedOut.rawValue }
            ? .clockedOut : .conditionalLaunchBlocked
    }

    /// One line: what was found and what to do.
    var message: String { first.message }

    /// What a host does about it, to follow the message; a cause of the account ends by itself.
    var remedy: String { first.known?.isOfAccount ?? false ? "" : "; launch or resume first" }

    /// What decided, for the reasons of refusals.
    var cause: LockDownCause { LockDownCause(first) }

    /// The same, for the detail of errors.
    var detail: [(key: String, value: JSON)] { [("reason", .string(reason.name))] + cause.members }
}

/// What launches, resumes and switches of one session have found of an account: it closes the account there.
struct SessionFindings: Sendable {
    /// Findings that block or that ask for what was not shown.
    var findings: [LaunchReport.Finding]
    /// The account's latest check-in when they were made.
    var lastCheckIn: Instant?

    /// Those that still hold: what was found of the account itself holds until the authority answers.
    func standing(since lastCheckIn: Instant?) -> [LaunchReport.Finding] {
        guard lastCheckIn != self.lastCheckIn else { return findings }
        return findings.filter { !($0.known?.isOfAccount ?? false) }
    }
}
