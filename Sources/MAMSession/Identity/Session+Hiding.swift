import MAMPolicy
import MAMState
import MAMSupport

/// An account that a window shows and that must be hidden.
struct HidingRequest: Sendable {
    enum Step: Sendable { case block, leave }

    let window: Window
    let account: AccountRowID
    let step: Step

    /// Tells it from others among operations and questions.
    var subject: [UInt8] { account.bytes + [step == .block ? 0 : 1] + Array((window.name ?? "").utf8) }
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
                "accountBlocked", accountId: account.accountId,
                [
                    ("upn", .optional(account.record.upn)), ("reason", .string(account.blockReason.name)),
                    ("blockReason", .integer(Int64(account.blockReason.rawValue))),
                ])
            guard account.blockReason != .notBlocked else { continue }
            lock.held {
                for window in windows.windows(showing: { account.names.contains($0.folded) }) {
                    let request = HidingRequest(window: window, account: account.row.id, step: .block)
                    operations.addUnlessQueued(.hide(request), subject: request.subject)
                    isQueued = true
                }
            }
        }
        func isLost(_ identity: Identity) -> Bool {
            guard case .managed = side(of: .named(identity), old), case .unmanaged = side(of: .named(identity), new)
            else { return false }
            // A user without a policy for now stays.
            return !(new.find(identity)?.isEnrolled ?? false)
        }
        lock.held {
            for window in windows.windows(showing: isLost) { windows.remove(from: window, isLost) }
        }
        return isQueued
    }

    /// Ask the host to hide a blocked account, and if it cannot, for leave to switch the window to no user.
    func carryOut(_ request: HidingRequest) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == request.account }),
            account.blockReason != .notBlocked, lock.held({ isShown(account, in: request.window) })
        else { return .ended(ended(hiding: request, .canceled, "there is nothing to hide any more", snapshot)) }
        let about: [(key: String, value: JSON)] = [
            ("window", .optional(request.window.name)), ("reason", .string(account.blockReason.name)),
            ("blockReason", .integer(Int64(account.blockReason.rawValue))),
        ]
        let asked =
            switch request.step {
            case .block:
                ask(
                    .blockAccount, subject: hexadecimal(request.subject),
                    [("accountId", .string(account.accountId)), ("upn", .optional(account.record.upn))] + about)
            case .leave:
                ask(
                    .identitySwitch, subject: hexadecimal(request.subject),
                    [
                        ("accountId", ""), ("from", .string(account.accountId)),
                        ("window", .optional(request.window.name)), ("reason", "cancelConditionalLaunch"),
                    ])
            }
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.truth(true)):
            lock.held {
                if request.step == .leave {
                    windows.set(.noUser, of: request.window)
                } else {
                    windows.remove(from: request.window) { account.names.contains($0.folded) }
                }
            }
            return .ended(ended(hiding: request, .success, "the account was hidden", snapshot))
        case .answer:
            if request.step == .block {
                _ = start(.hide(HidingRequest(window: request.window, account: request.account, step: .leave)))
            } else {
                warn(
                    "a blocked account is still shown: the host hid it neither for blockAccount nor for identitySwitch",
                    [("accountId", .string(account.accountId)), ("window", .optional(request.window.name))])
            }
            return .ended(ended(hiding: request, .failed, "the host did not hide the account", snapshot))
        }
    }

    private func isShown(_ account: Account, in window: Window) -> Bool {
        windows[window].names.contains { account.names.contains($0.folded) }
    }

    private func ended(hiding request: HidingRequest, _ result: SwitchResult, _ message: String, _ snapshot: Snapshot)
        -> OperationResult
    {
        ended(
            SwitchRequest(window: request.window, identities: .noUser, thread: nil), result, message, snapshot)
    }
}
