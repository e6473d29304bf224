import MAMPolicy
import MAMState
import MAMSupport

extension Policies {
    /// `mam_policy_clipboard`.
    public func copy(_ handle: PolicyHandle, _ length: Int, to other: AccountArgument) throws(MAMError) -> JSON {
        let snapshot = try current(within: 1000)
        try snapshot.checkKnown(other)
        return handle.accountPolicy(in: snapshot).copy(length, to: snapshot.receiver(other, of: handle.subject)).json(
            in: settings.language)
    }

    /// `mam_policy_filter_share_targets`.
    public func filter(_ handle: PolicyHandle, _ targets: [AppQuery]) throws(MAMError) -> JSON {
        let snapshot = try current()
        let side = handle.accountPolicy(in: snapshot)
        let account = handle.subject.one(snapshot)?.identity.flatMap { snapshot.find($0) }
        let register = try register(for: account.map { [$0.row.id] } ?? [])
        var selection = ShareSelection(in: settings.language)
        for target in targets {
            let peer = ownPeer(target, of: handle.subject, snapshot)
            let known = ShareTarget(target, in: register, peer: peer, program: Executable.init)
            selection.add(target, side.share(with: known))
        }
        return selection.json
    }

    /// The peer that a target names. An unrelated account of another app is unknown, because that app's own policy decides.
    private func ownPeer(_ target: AppQuery, of own: PolicySubject, _ snapshot: Snapshot) -> TransferPeer {
        guard let identity = target.identity else { return .unknown }
        let known = snapshot.receiver(.named(identity), of: own)
        switch known {
        case .sameAccount, .closed: return known
        case .unknown, .other: break
        }
        guard case .app(let id) = target.name, id.utf8.elementsEqual(settings.managedApp.utf8) else { return .unknown }
        return known
    }
}
