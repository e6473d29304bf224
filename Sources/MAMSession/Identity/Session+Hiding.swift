import MAMPolicy
import MAMState
import MAMSupport

/// An account that windows show and that must be hidden: they are asked about one after the other.
struct HidingRequest: Sendable {
    let account: AccountRowID
    /// Windows that were asked about already.
    var asked: Set<Window> = []
    /// The window whose account the host did not hide, and that it is asked to leave now.
    var leaving: Window?

    /// Tells it from others among operations.
    var subject: [UInt8] { account.bytes + Array("hide".utf8) }

    /// Tells a question about a window from others.
    func subject(_ window: Window) -> String { hexadecimal(account.bytes) + "/" + (window.name ?? "") }
}

/// Switches that libmam begins: an account that a window shows was blocked, or is not managed any more.
extension Session {
    /// After a snapshot has been published: tell of accounts that were blocked or are not any more, and see to the windows.
    /// The result is whether work was queued.
    func followIdentities(from old: Snapshot, to new: Snapshot) -> Bool {
        var isQueued = false
        for account in new.accounts {
            let before = old.accounts.first { $0.row.id == account.row.id }?.blockReason ?? .notBlocked
            guard account.blockReason != before else { continue }
            emit(
                "accountBlocked", of: account.named,
                [
                    ("reason", .string(account.blockReason.name)),
                    ("blockReason", .integer(Int64(account.blockReason.rawValue))),
                ])
            guard account.blockReason != .notBlocked else { continue }
            let request = HidingRequest(account: account.row.id)
            lock.held {
                guard !windows.windows(showing: account.isNamed).isEmpty else { return }
                operations.addUnlessQueued(.hide(request), subject: request.subject)
                isQueued = true
            }
        }
        func isLost(_ identity: Identity) -> Bool {
            // Registered and wiped by another process: its row is gone.
            if let account = old.find(identity), !new.accounts.contains(where: { $0.row.id == account.row.id }) {
                if new.find(identity) == nil, new.wipe(of: identity) == nil { return true }
            }
            guard case .managed = side(of: .named(identity), old), case .unmanaged = side(of: .named(identity), new)
            else { return false }
            // A user without a policy for now stays.
            return !(new.find(identity)?.isEnrolled ?? false)
        }
        lock.held {
            windows.followNames(new)
            ownProcessIdentity = new.stable(ownProcessIdentity)
            for window in windows.windows(showing: isLost) { windows.remove(from: window, isLost) }
        }
        return isQueued
    }

    /// Ask the host to hide a blocked account in the next window that shows it, and if it does not, for leave to switch that
    /// window to no user.
    func carryOut(_ request: HidingRequest) throws(MAMError) -> Outcome {
        let snapshot = try current()
        let blocked = snapshot.accounts.first { $0.row.id == request.account && $0.blockReason != .notBlocked }
        guard let account = blocked, let (window, isLeaving) = lock.held({ next(request, account) }) else {
            return .ended(ended(hiding: nil, .success, "there is nothing left to hide"))
        }
        let reason: [(key: String, value: JSON)] =
            isLeaving
            ? [
                ("from", .string(account.accountId)), ("fromUpn", .optional(account.record.upn)),
                ("reason", "cancelConditionalLaunch"),
            ]
            : [
                ("reason", .string(account.blockReason.name)),
                ("blockReason", .integer(Int64(account.blockReason.rawValue))),
            ]
        let kind: QuestionBoard.Kind = isLeaving ? .identitySwitch : .blockAccount
        var further = request
        further.leaving = nil
        further.asked.insert(window)
        var isHidden = false
        let named = isLeaving ? NamedAccount(accountId: "", upn: nil) : account.named
        switch ask(kind, subject: request.subject(window), of: named, reason + [("window", .optional(window.name))]) {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.truth(true)):
            isHidden = true
            lock.held {
                if isLeaving {
                    windows.set(.noUser, of: window)
                } else {
                    windows.remove(from: window, account.isNamed)
                }
            }
        case .answer where !isLeaving: further.leaving = window
        case .answer:
            warn(
                "a blocked account is still shown: the host hid it neither for blockAccount nor for identitySwitch",
                account.named.members + [("window", .optional(window.name))])
        }
        _ = start(.hide(further))
        return .ended(
            ended(hiding: window, isHidden ? .success : .failed, isHidden ? "it was hidden" : "it was not hidden"))
    }

    /// The window that is asked about now, and whether to leave it: the same one every time, until it was. With the lock
    /// held.
    private func next(_ request: HidingRequest, _ account: Account) -> (window: Window, isLeaving: Bool)? {
        let shown = windows.windows(showing: account.isNamed)
        if let leaving = request.leaving, shown.contains(leaving) { return (leaving, true) }
        return shown.filter { !request.asked.contains($0) }.min().map { ($0, false) }
    }

    private func ended(hiding window: Window?, _ result: SwitchResult, _ message: String) -> OperationResult {
        .identity(
            IdentitySwitch(
                result: result, window: window ?? .standard, identities: .null, message: message, time: clock.now()))
    }
}

extension Account {
    /// Whether this is the account of a name.
    fileprivate func isNamed(_ identity: Identity) -> Bool { (names + formerNames).contains(identity.folded) }
}
