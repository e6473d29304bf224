import MAMPolicy
import MAMSupport

extension CurrentIdentities {
    /// Switch the default window to the owner of an imported file, if the host permits it. Otherwise fail with `refusal` and how
    /// the switch ended.
    func switchWindow(to owner: AccountArgument, from: AccountArgument, or refusal: MAMError) throws(MAMError) {
        var request = SwitchRequest(window: .standard, identities: IdentitySet(owner), thread: threadIdentity.top)
        request.permissionCause = SwitchCause(reason: .documentImport, from: IdentitySet(from))
        guard
            case .identity(let ended) = try operations.wait(
                for: operations.start(.switchIdentity(request)), milliseconds: -1)
        else {
            throw refusal
        }
        guard ended.result != .success else { return }
        throw MAMError(
            refusal.code,
            "\(refusal.message); the switch to the file's account ended with \(ended.result.name): \(ended.message)",
            refusal.detail + [("switch", .string(ended.result.name))])
    }
}
