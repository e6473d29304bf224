import MAMPolicy
import MAMSupport

/// Files and links of an account other than the one that is acted for. Where policy keeps the two apart, the host of an app
/// with several identities is asked for leave to switch the window.
extension Session {
    /// `mam_open_url`.
    public func openURL(_ window: Window, _ argument: AccountArgument, _ url: String) throws(MAMError) -> Int64 {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        let owner = snapshot.stable(argument == .notGiven ? .noUser : argument)
        let shown = effective(.ui, window, snapshot)
        var request = SwitchRequest(window: window, identities: Identities(owner), thread: threadIdentity.top)
        if let refusal = refusal(of: argument, in: shown, snapshot) {
            request.cause = SwitchCause(reason: .openURL(url), from: shown)
            request.refusal = refusal
        } else {
            request.isMade = true
        }
        guard lock.held({ hasRoom(for: request) }) else { throw MAMError(.noSpace, Session.noRoom) }
        try checkRoom()
        return start(.switchIdentity(request))
    }

    /// Why a link of an account is not opened as things are; nil where it may be.
    private func refusal(of owner: AccountArgument, in shown: Identities, _ snapshot: Snapshot) -> String? {
        let subject = PolicySubject(shown)
        let isShown = subject.members.contains { member in
            if let a = member.identity, let b = owner.identity { return isSame(a, b, snapshot) }
            return member == owner
        }
        if isShown { return nil }
        guard case .unmanaged = side(of: owner, snapshot) else { return "the link is another account's" }
        let decision = side(of: subject, snapshot).receive(from: counterpart(owner, of: subject, snapshot))
        return decision.allowed ? nil : decision.reason?.message ?? "policy refuses the link"
    }

    /// Ask the host for leave to make a switch. The result is the outcome where it cannot go on: nobody is there to ask, the
    /// host has not given leave, or the answer is to come.
    func askForLeave(_ request: SwitchRequest, _ cause: SwitchCause, _ snapshot: Snapshot) -> Outcome? {
        func refused(_ why: String) -> Outcome {
            .ended(
                ended(
                    request, .notAllowed, [why, request.refusal].compactMap(\.self).joined(separator: ": "), snapshot))
        }
        guard snapshot.settings.bool(SettingKey.multiIdentity) else {
            return refused("the app has one identity (the setting MultiIdentity is false)")
        }
        // Several accounts have no one name.
        let members = cause.from.members ?? [.noUser]
        let from = members.count == 1 ? members.first : nil
        let former = from?.identity.flatMap { snapshot.find($0) }
        var more: [(key: String, value: JSON)] = [
            ("from", .optional(from.map { shownName($0, snapshot) })), ("fromUpn", .optional(former?.record.upn)),
            ("reason", .string(cause.reason.name)), ("window", .optional(request.window.name)),
        ]
        if case .openURL(let url) = cause.reason { more.append(("url", .string(url))) }
        let owner = request.identities.members?.first ?? .noUser
        let named = NamedAccount(
            accountId: shownName(owner, snapshot), upn: owner.identity.flatMap { snapshot.find($0)?.record.upn })
        let asked = ask(.identitySwitch, subject: "switch \(cause.number)", of: named, more)
        switch asked {
        case .answer(.truth(true)): return nil
        case .answer: return refused("the host did not let the window switch")
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// Switch the default window to the owner of a file that is taken in, if the host gives leave; `refusal` is thrown, with
    /// how it ended, where it does not come to that.
    func switchWindow(to owner: AccountArgument, from: AccountArgument, or refusal: MAMError) throws(MAMError) {
        var request = SwitchRequest(window: .standard, identities: Identities(owner), thread: threadIdentity.top)
        request.cause = SwitchCause(reason: .documentImport, from: Identities(from))
        guard case .identity(let ended) = try wait(for: start(.switchIdentity(request)), milliseconds: -1) else {
            throw refusal
        }
        guard ended.result != .success else { return }
        throw MAMError(
            refusal.code,
            "\(refusal.message); the switch to the file's account ended with \(ended.result.name): \(ended.message)",
            refusal.detail + [("switch", .string(ended.result.name))])
    }
}
