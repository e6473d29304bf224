import MAMPolicy
import MAMSupport

extension Session {
    /// `mam_policy_clipboard`.
    public func copy(_ handle: PolicyHandle, _ length: Int, to other: AccountArgument) throws(MAMError) -> JSON {
        let snapshot = try current(within: 1000)
        try checkKnown(other, snapshot)
        return handle.side(snapshot).copy(length, to: receiver(other, of: handle.subject, snapshot)).json
    }

    /// `mam_policy_filter_share_targets`.
    public func filter(_ handle: PolicyHandle, _ targets: [AppQuery]) throws(MAMError) -> JSON {
        let snapshot = try current()
        let side = handle.side(snapshot)
        let account = handle.subject.one(snapshot)?.identity.flatMap { snapshot.find($0) }
        let register = try register(for: account.map { [$0.row.id] } ?? [])
        var selection = ShareSelection()
        for target in targets {
            let counterpart = ownCounterpart(target, of: handle.subject, snapshot)
            let known = ShareTarget(target, in: register, counterpart: counterpart, program: Session.program)
            selection.add(target, side.share(with: known))
        }
        return selection.json
    }

    /// The account that a target names, where it is this app's: of other apps' accounts their own policies decide.
    private func ownCounterpart(_ target: AppQuery, of own: PolicySubject, _ snapshot: Snapshot) -> Counterpart {
        guard let identity = target.identity else { return .unknown }
        let known = receiver(.named(identity), of: own, snapshot)
        switch known {
        case .sameAccount, .closed: return known
        case .unknown, .other: break
        }
        guard case .app(let id) = target.name, id.utf8.elementsEqual(settings.managedApp.utf8) else { return .unknown }
        return known
    }
}
