import MAMPolicy
import MAMState
import MAMSupport

/// Findings about accounts that no launch can check.
extension Snapshot {
    /// The findings of accounts that do not open.
    var unopenableFindings: [LaunchReport.Finding] {
        unopenable.map { account in
            LaunchReport.Finding(.account, .block, "An account's data stays closed: \(account.error.message)")
                .about(account.tag?.named ?? NamedAccount(accountId: account.id.hex, upn: nil))
        }
    }

    /// The findings of accounts that are being wiped, without those that a launch has found itself.
    func wipeFindings(beside found: [LaunchReport.Finding]) -> [LaunchReport.Finding] {
        let known = found.filter { $0.action == .wipe }.compactMap { $0.account?.accountId.map { Identity.fold($0) } }
        return wipes.filter { $0.step < .removed && !known.contains(Identity.fold($0.accountId)) }.map { entry in
            Snapshot.wipingFinding.about(entry.named(or: entry.account.hex))
        }
    }

    /// The finding of an account that is being wiped.
    static let wipingFinding = LaunchReport.Finding(.wipe, .wipe, "The account is being wiped")

    /// The report about a name without an account.
    func launchReport(of identity: Identity, at time: Instant) -> LaunchReport {
        if let entry = wipe(of: identity) {
            return LaunchReport([Snapshot.wipingFinding.about(entry.named(or: identity.text))], time: time)
        }
        let problem = problem(of: identity).map { problem in
            LaunchReport.Finding(.account, .block, "The account's data stays closed: \(problem.message)")
                .about(NamedAccount(accountId: identity.text, upn: nil))
        }
        return LaunchReport(problem.map { [$0] } ?? [], time: time)
    }
}
