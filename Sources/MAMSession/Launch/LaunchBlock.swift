import MAMPolicy
import MAMSupport

/// The findings that block an account in a session: reads and predicates are refused, open data can still be protected.
struct LaunchBlock: Sendable, Equatable {
    /// The findings, the severest first; never empty.
    let findings: [LaunchReport.Finding]

    /// nil where none of the findings blocks an account.
    init?(_ findings: [LaunchReport.Finding]) {
        let blocking = findings.filter { $0.action != .warn }
        guard !blocking.isEmpty else { return nil }
        self.findings = LaunchReport(blocking, time: Instant(milliseconds: 0)).findings
    }

    /// The finding that decides.
    private var first: LaunchReport.Finding { findings[0] }

    /// The reason for which the account must be hidden.
    var reason: BlockReason {
        if first.action == .prompt { return .conditionalLaunchCanceled }
        return findings.allSatisfy { $0.check == LaunchCheck.clockedOut.rawValue }
            ? .clockedOut : .conditionalLaunchBlocked
    }

    /// One line that says what was found and what to do.
    var message: String { first.message }

    /// A clause that says what the host has to do; empty where the authority ends the cause.
    var remedy: String { first.known?.isOfAccount ?? false ? "" : "; launch or resume first" }

    /// The cause of refusals.
    var cause: LockDownCause { LockDownCause(first) }

    /// The detail of errors.
    var detail: [(key: String, value: JSON)] { [("reason", .string(reason.name))] + cause.members }
}

/// The findings of one session's launches, resumes and switches that close an account there.
struct SessionFindings: Sendable {
    /// Findings that block, and prompts that the person has not resolved.
    var findings: [LaunchReport.Finding]
    /// The account's latest check-in at the time of the findings.
    var lastCheckIn: Instant?

    /// The findings that still hold: those about the account itself hold until the authority answers.
    func current(since lastCheckIn: Instant?) -> [LaunchReport.Finding] {
        guard lastCheckIn != self.lastCheckIn else { return findings }
        return findings.filter { !($0.known?.isOfAccount ?? false) }
    }
}
