import MAMPolicy
import MAMState
import MAMSupport

/// A blocked account that windows show: the host is asked about one window after the other.
struct HidingRequest: Sendable {
    let account: AccountRowID
    /// Windows about which the host was asked.
    var asked: Set<Window> = []
    /// The window in which the host did not hide the account, and that is to be switched to no user.
    var switching: Window?

    /// The operation's subject.
    var subject: [UInt8] { account.bytes + Array("hide".utf8) }

    /// The subject of a question about a window.
    func subject(_ window: Window) -> String { hexadecimal(account.bytes) + "/" + (window.name ?? "") }
}

/// Switches that libmam begins: an account that a window shows was blocked.
extension IdentitySwitches {
    /// Follow a published snapshot: report accounts that were blocked or are not blocked any more, and begin to hide them. Returns
    /// whether work was queued.
    func follow(from old: Snapshot, to new: Snapshot) -> Bool {
        var isQueued = false
        for account in new.accounts {
            let before = old.accounts.first { $0.row.id == account.row.id }?.blockReason ?? .notBlocked
            guard account.blockReason != before else { continue }
            events.emit(
                .accountBlocked, of: account.named,
                [
                    ("reason", .string(account.blockReason.name)),
                    ("blockReason", .integer(Int64(account.blockReason.rawValue))),
                ],
                for: account.blockReason == .notBlocked ? .eventAccountUnblocked : .eventAccountBlocked)
            guard account.blockReason != .notBlocked, !identities.windows(showing: account).isEmpty else { continue }
            let request = HidingRequest(account: account.row.id)
            operations.startUnlessQueued(.hide(request), subject: request.subject)
            isQueued = true
        }
        return isQueued
    }

    /// Ask the host to hide a blocked account in the next window that shows it; where it does not, ask for permission to switch
    /// that window to no user.
    func carryOut(_ request: HidingRequest) throws(MAMError) -> StepResult {
        let snapshot = try current()
        let blocked = snapshot.accounts.first { $0.row.id == request.account && $0.blockReason != .notBlocked }
        guard let account = blocked, let (window, isSwitching) = next(request, account) else {
            return .ended(ended(hiding: nil, .success, "there is nothing left to hide"))
        }
        let reason: [(key: String, value: JSON)] =
            isSwitching
            ? [
                ("from", .string(account.accountId)), ("fromUpn", .optional(account.record.upn)),
                ("reason", "cancelConditionalLaunch"),
            ]
            : [
                ("reason", .string(account.blockReason.name)),
                ("blockReason", .integer(Int64(account.blockReason.rawValue))),
            ]
        let kind: QuestionQueue.Kind = isSwitching ? .identitySwitch : .blockAccount
        var further = request
        further.switching = nil
        further.asked.insert(window)
        var isHidden = false
        let named = isSwitching ? NamedAccount(accountId: "", upn: nil) : account.named
        switch events.ask(
            kind, subject: request.subject(window), of: named, reason + [("window", .optional(window.name))])
        {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.bool(true)):
            isHidden = true
            if isSwitching { identities.clear(window) } else { identities.hide(account, in: window) }
        case .answer where !isSwitching: further.switching = window
        case .answer:
            events.warn(
                "a blocked account is still shown: the host hid it neither for blockAccount nor for identitySwitch",
                account.named.members + [("window", .optional(window.name))])
        }
        _ = operations.start(.hide(further))
        return .ended(
            ended(hiding: window, isHidden ? .success : .failed, isHidden ? "it was hidden" : "it was not hidden"))
    }

    /// The window to ask about, and whether to switch it: the same one at each step until it was answered.
    private func next(_ request: HidingRequest, _ account: Account) -> (window: Window, isSwitching: Bool)? {
        let shown = identities.windows(showing: account)
        if let switching = request.switching, shown.contains(switching) { return (switching, true) }
        return shown.filter { !request.asked.contains($0) }.min().map { ($0, false) }
    }

    private func ended(hiding window: Window?, _ result: SwitchResult, _ message: String) -> OperationResult {
        .identity(
            IdentitySwitch(
                result: result, window: window ?? .standard, identities: .null, message: message, time: clock.now()))
    }
}
