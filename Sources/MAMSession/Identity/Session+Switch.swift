import MAMPolicy
import MAMSupport

/// The identity of windows: a switch that the host asks for.
extension Session {
    /// `mam_set_ui_identity`.
    public func setUIIdentity(_ window: Window, _ identities: Identities) throws(MAMError) -> Int64 {
        let snapshot = try current()
        for member in identities.members ?? [] { try checkKnown(member, snapshot) }
        let request = SwitchRequest(
            window: window, identities: identities.stable(snapshot), thread: threadIdentity.top)
        guard lock.held({ hasRoom(for: request) }) else { throw MAMError(.noSpace, Session.noRoom) }
        try checkRoom()
        return start(.switchIdentity(request))
    }

    static let noRoom =
        "\(WindowBoard.capacity) windows have an identity; clear those that are closed with the identities null"

    func hasRoom(for request: SwitchRequest) -> Bool {
        request.identities.members == nil || windows.hasRoom(for: request.window)
    }

    /// Carry a switch out: refused by a rule, kept back by a finding, or made.
    func carryOut(_ request: SwitchRequest) throws(MAMError) -> Outcome {
        let snapshot = try current()
        if request.isMade {
            return .ended(ended(request, .success, "what is shown may take it in", snapshot))
        }
        if lock.held({ operations.hasLaterSwitch(of: request.window) }) {
            return .ended(ended(request, .canceled, "a later switch of the same window was asked for", snapshot))
        }
        if let refusal = refusal(of: request, snapshot) {
            return .ended(ended(request, .notAllowed, refusal, snapshot))
        }
        for identity in request.identities.names where snapshot.wipe(of: identity) != nil {
            return .ended(ended(request, .failed, "\(identity.text): the account is being wiped", snapshot))
        }
        if let cause = request.cause {
            if let outcome = askForLeave(request, cause, snapshot) { return outcome }
            var further = request
            further.cause = nil
            return .next(.switchIdentity(further))
        }
        switch try advance(request.run) {
        case .outside(let outcome): return outcome
        case .further(let run):
            var further = request
            further.run = run
            return .next(.switchIdentity(further))
        case .ended(let launched):
            _ = try conclude(launched, request.run)
            return try show(request, after: launched)
        }
    }

    /// Make a switch whose accounts were looked at, unless one of them is closed.
    private func show(_ request: SwitchRequest, after launched: [LaunchedAccount]) throws(MAMError) -> Outcome {
        let snapshot = try current()
        let looked = launched.compactMap { one in snapshot.accounts.first { $0.row.id == one.account.row.id } }
        // One that was canceled is told as that, where nothing else is in the way.
        let closed = looked.filter { $0.blockReason != .notBlocked }.sorted {
            $0.blockReason != .conditionalLaunchCanceled && $1.blockReason == .conditionalLaunchCanceled
        }
        if let first = closed.first {
            let result: SwitchResult = first.blockReason == .conditionalLaunchCanceled ? .canceled : .failed
            let why = first.launchGuard?.message ?? ""
            return .ended(ended(request, result, "\(first.accountId): \(why)", snapshot))
        }
        // The inactivity of accounts that the window leaves is measured from here on.
        let inUse = accountsInUse(snapshot)
        try noteActive(snapshot.accounts.filter { inUse.contains($0.row.id) && $0.launchGuard == nil })
        let isDone: Bool? = lock.held {
            // Whoever publishes a change looks at the windows right after: it must find this one, or this one the change.
            guard snapshots.latest.generation == snapshot.generation else { return nil }
            guard hasRoom(for: request) else { return false }
            windows.set(request.identities, of: request.window)
            return true
        }
        guard let isDone else { return .again(at: 0) }
        guard isDone else { return .ended(ended(request, .failed, Session.noRoom, snapshot)) }
        return .ended(ended(request, .success, "the window shows what was asked for", snapshot))
    }

    /// Why a switch is not allowed, whatever state the accounts are in.
    private func refusal(of request: SwitchRequest, _ snapshot: Snapshot) -> String? {
        guard let members = request.identities.members else { return nil }
        if let thread = request.thread, thread != .notGiven {
            let isOwn = members.contains { member in
                if let a = member.identity, let b = thread.identity { return isSame(a, b, snapshot) }
                return member == thread
            }
            guard isOwn, members.count == 1 else {
                return "the calling thread carries another identity; pop it, or ask from another thread"
            }
        }
        guard !snapshot.settings.bool(SettingKey.multiManagedIdentities) else { return nil }
        let accounts = request.identities.names.compactMap { snapshot.find($0) }
        if Set(accounts.filter { $0.policy != nil }.map(\.row.id.bytes)).count > 1 {
            return "showing several managed accounts needs the setting MultiManagedIdentities"
        }
        return foreignColleague(request.identities.names, snapshot)
    }

    /// In a host with one managed account, other users of its organisation have no place.
    private func foreignColleague(_ names: [Identity], _ snapshot: Snapshot) -> String? {
        let enrolled = snapshot.accounts.filter(\.isEnrolled).map { Session.person($0) }
        for name in names {
            let person =
                snapshot.find(name).map { Session.person($0) } ?? Person(names: [name.folded], tenantId: nil)
            if enrolled.contains(where: { $0.isSame(as: person) }) { continue }
            if enrolled.contains(where: { $0.sharesOrganisation(with: person) }) {
                return "\(name.text) belongs to the organisation whose one account is enrolled here; "
                    + "unenroll that one first, or allow several with the setting MultiManagedIdentities"
            }
        }
        return nil
    }

    private static func person(_ account: Account) -> Person {
        Person(names: account.names, tenantId: account.record.tenantId)
    }

    func ended(_ request: SwitchRequest, _ result: SwitchResult, _ message: String, _ snapshot: Snapshot)
        -> OperationResult
    {
        let names: JSON = request.identities.members.map { .strings($0.map { shownName($0, snapshot) }) } ?? .null
        return .identity(
            IdentitySwitch(
                result: result, window: request.window, identities: names, message: message, time: clock.now()))
    }
}
