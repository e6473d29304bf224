import MAMPolicy
import MAMState
import MAMSupport

/// Holds the identities of windows.
protocol WindowIdentities: AccountUse {
    /// The identity that the calling thread carries.
    var threadIdentity: ThreadIdentity { get }
    /// The identities that the calling thread acts for.
    func effective(_ task: IdentityTask, _ window: Window, _ snapshot: Snapshot) -> IdentitySet
    /// Fail where a window's identities cannot be remembered.
    func checkRoom(for window: Window, _ identities: IdentitySet) throws(MAMError)
    /// Set the identities that a window shows, by a snapshot that allows them.
    func set(_ identities: IdentitySet, of window: Window, by snapshot: Snapshot) -> WindowChange
    /// Show no user in a window.
    func clear(_ window: Window)
    /// Stop showing an account in a window.
    func hide(_ account: Account, in window: Window)
    /// The windows that show an account.
    func windows(showing account: Account) -> [Window]
}

/// Switches the identities that windows show, after the launch checks of their accounts.
public final class IdentitySwitches: SessionService, Sendable {
    let context: SessionContext
    let identities: any WindowIdentities
    let launches: any LaunchChecks

    init(_ context: SessionContext, _ identities: any WindowIdentities, _ launches: any LaunchChecks) {
        (self.context, self.identities, self.launches) = (context, identities, launches)
    }

    /// `mam_set_ui_identity`.
    public func setUIIdentity(_ window: Window, _ identities: IdentitySet) throws(MAMError) -> Int64 {
        let snapshot = try current()
        for member in identities.members ?? [] { try snapshot.checkKnown(member) }
        return try start(
            SwitchRequest(
                window: window, identities: identities.stable(snapshot), thread: self.identities.threadIdentity.top))
    }

    /// `mam_open_url`. Where policy separates the link's account from the one in effect, the host of an app with several identities
    /// is asked for permission to switch the window.
    public func openURL(_ window: Window, _ argument: AccountArgument, _ url: String) throws(MAMError) -> Int64 {
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        let owner = snapshot.stable(argument == .notGiven ? .noUser : argument)
        let shown = identities.effective(.ui, window, snapshot)
        var request = SwitchRequest(
            window: window, identities: IdentitySet(owner), thread: identities.threadIdentity.top)
        if let reason = snapshot.reasonToAskBeforeLink(of: argument, in: shown) {
            request.permissionCause = SwitchCause(reason: .openURL(url), from: shown)
            request.refusal = reason
        } else {
            request.needsNoSwitch = true
        }
        return try start(request)
    }

    private func start(_ request: SwitchRequest) throws(MAMError) -> Int64 {
        try identities.checkRoom(for: request.window, request.identities)
        try operations.checkRoom()
        return operations.start(.switchIdentity(request))
    }

    /// Carry out one step of a switch: a rule refuses it, a finding prevents it, or it is made.
    func carryOut(_ request: SwitchRequest) throws(MAMError) -> StepResult {
        let snapshot = try current()
        if request.needsNoSwitch {
            return .ended(ended(request, .success, "what is shown may take it in", snapshot))
        }
        if operations.hasLaterSwitch(of: request.window) {
            return .ended(ended(request, .canceled, "a later switch of the same window was asked for", snapshot))
        }
        if let refusal = snapshot.refusal(of: request) {
            return .ended(ended(request, .notAllowed, refusal, snapshot))
        }
        for identity in request.identities.names where snapshot.wipe(of: identity) != nil {
            return .ended(ended(request, .failed, "\(identity.text): the account is being wiped", snapshot))
        }
        if let cause = request.permissionCause {
            if let result = askForPermission(request, cause, snapshot) { return result }
            var further = request
            further.permissionCause = nil
            return .next(.switchIdentity(further))
        }
        switch try launches.advance(request.run) {
        case .pending(let result): return result
        case .next(let run):
            var further = request
            further.run = run
            return .next(.switchIdentity(further))
        case .ended(let launched):
            _ = try launches.conclude(launched, request.run)
            return try show(request, after: launched)
        }
    }

    /// Ask the host for permission to switch. Returns the result where the switch cannot go on: there is nobody to ask, the host
    /// has refused, or the answer is to come.
    private func askForPermission(_ request: SwitchRequest, _ cause: SwitchCause, _ snapshot: Snapshot) -> StepResult? {
        func refused(_ why: String) -> StepResult {
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
            ("from", .optional(from.map { snapshot.shownName(of: $0) })), ("fromUpn", .optional(former?.record.upn)),
            ("reason", .string(cause.reason.name)), ("window", .optional(request.window.name)),
        ]
        if case .openURL(let url) = cause.reason { more.append(("url", .string(url))) }
        let owner = request.identities.members?.first ?? .noUser
        let named = NamedAccount(
            accountId: snapshot.shownName(of: owner), upn: owner.identity.flatMap { snapshot.find($0)?.record.upn })
        let asked = events.ask(.identitySwitch, subject: "switch \(cause.number)", of: named, more)
        switch asked {
        case .answer(.bool(true)): return nil
        case .answer: return refused("the host did not let the window switch")
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// Make a switch whose accounts were checked, unless one of them is closed.
    private func show(_ request: SwitchRequest, after launched: [CheckedAccount]) throws(MAMError) -> StepResult {
        let snapshot = try current()
        // An account that has left is not checked, and may be closed all the same.
        let shown = Set(
            launched.map(\.account.row.id) + request.identities.names.compactMap { snapshot.find($0)?.row.id })
        let checked = snapshot.accounts.filter { shown.contains($0.row.id) }
        // A canceled account makes the switch a canceled one only where no other account is closed.
        let closed = checked.filter { $0.blockReason != .notBlocked }.sorted {
            $0.blockReason != .conditionalLaunchCanceled && $1.blockReason == .conditionalLaunchCanceled
        }
        if let first = closed.first {
            let result: SwitchResult = first.blockReason == .conditionalLaunchCanceled ? .canceled : .failed
            let why = first.launchBlock?.message ?? ""
            return .ended(ended(request, result, "\(first.accountId): \(why)", snapshot))
        }
        // The inactivity of accounts that the window leaves is measured from now on.
        let inUse = identities.accountsInUse(snapshot)
        try launches.recordUse(
            of: snapshot.accounts.filter { inUse.contains($0.row.id) && $0.launchBlock == nil })
        switch identities.set(request.identities, of: request.window, by: snapshot) {
        case .made: return .ended(ended(request, .success, "the window shows what was asked for", snapshot))
        case .hasNoRoom: return .ended(ended(request, .failed, WindowTable.fullMessage, snapshot))
        case .isOutdated: return .again(at: 0)
        }
    }

    func ended(_ request: SwitchRequest, _ result: SwitchResult, _ message: String, _ snapshot: Snapshot)
        -> OperationResult
    {
        let names: JSON = request.identities.members.map { .strings($0.map { snapshot.shownName(of: $0) }) } ?? .null
        return .identity(
            IdentitySwitch(
                result: result, window: request.window, identities: names, message: message, time: clock.now()))
    }
}
