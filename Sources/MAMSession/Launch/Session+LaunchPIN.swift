import MAMPolicy
import MAMState
import MAMSupport

/// Where the PIN joins the checks of a launch. `isShown`: it, or what may stand in for it, was shown, and that holds.
extension Session {
    /// What the PIN of an account asks of the person now; asked only where policy requires one.
    func pinDemand(of account: Account, isShown: Bool) throws(MAMError) -> LaunchFacts.PINDemand { .nothing }

    /// Ask for it: `.answer(.truth(true))` once it was shown and its demand is met.
    func askForPIN(
        _ account: Account, _ demand: LaunchFacts.PINDemand, mayCancel: Bool
    ) throws(MAMError) -> Asked { .answer(.none) }
}
