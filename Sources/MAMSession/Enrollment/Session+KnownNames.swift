import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Names that the host registers without enrolling them: shared mailboxes, colleagues.
extension Session {
    /// `mam_register_account`.
    public func registerName(_ argument: AccountArgument) throws(MAMError) {
        let identity = try named(argument)
        try checkMayChangeAccounts()
        let snapshot = try current()
        let standing = snapshot.standing(of: identity)
        switch standing {
        case .managed, .known: return
        case .closed, .wiping, .retired:
            if let refusal = snapshot.refusal(of: identity, standing, "the name is not registered") { throw refusal }
        case .unknownMember, .personal: break
        }
        let hasRoom = try state.publish { (view) throws(MAMError) in try view.names.register(identity.text) }
        guard hasRoom else {
            throw MAMError(
                .noSpace,
                "\(NameStore.mostRegistered) names are registered without an enrollment; forget some with mam_deregister_and_unenroll"
            )
        }
        try reload()
    }

    /// `mam_known_accounts`.
    public func knownNames() throws(MAMError) -> JSON { .strings(try current().names.get().registered) }

    /// Forget a name that was registered without enrolling it.
    func forgetName(_ identity: Identity) throws(MAMError) -> Int64 {
        try state.publish { (view) throws(MAMError) in try view.names.forget(identity.text) }
        try reload()
        return tell(.unenrollmentSuccess, AccountName(upn: identity.text))
    }
}
