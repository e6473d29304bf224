import MAMPolicy
import MAMState
import MAMSupport

/// Where the PIN joins the checks of a launch.
extension Session {
    /// What the PIN of an account asks of the person now; asked only where policy requires one. `isShown`: it, or what may stand
    /// in for it, was shown, and that holds.
    func pinDemand(
        of account: Account, isShown: Bool, _ validity: inout LaunchValidity
    ) throws(MAMError) -> LaunchFacts.PINDemand {
        guard account.policy?.pinRule != nil else { return .nothing }
        let situation: PINSituation
        do throws(MAMError) { situation = try pinSituation(account) } catch {
            // A row that does not verify: a new PIN is set by who signs in.
            guard error.code == .tampered else { throw error }
            return .signIn
        }
        situation.end(&validity, now: clock.now())
        return LaunchFacts.PINDemand(situation.standing.state, isShown: isShown)
    }

    /// Go one step further in asking for it.
    func askForPIN(_ account: Account, _ run: LaunchRun) throws(MAMError) -> LaunchProgress {
        let known = run.pin.flatMap { $0.account == account.row.id ? $0 : nil }
        var further = run
        switch try advance(known ?? pinConversation(account)) {
        case .next(let conversation): further.pin = conversation
        case .later(let question): return .outside(.later(question: question))
        case .abandoned: return .outside(.abandoned)
        case .ended(let end):
            further.pin = nil
            if end.opens { return .further(try shown(.pin, account, further)) }
            if end.result == .wiped {
                let finding = account.policy?.pinWipe(after: .max, end.message) ?? .init(.pin, .wipe, end.message)
                further.wiped.append(finding.about(account.named))
            } else {
                further = declined(account, further)
            }
        }
        return .further(further)
    }
}
