import MAMPolicy
import MAMSupport

/// The changes that one transition means for its accounts.
struct TransitionReport {
    /// The change in a word.
    enum Effect: String, CaseIterable {
        /// Nothing restricted the account; a policy does.
        case gains
        /// A policy restricted the account; nothing does.
        case loses
        /// The authority refuses the account's check-ins from then on.
        case refused
        case changes
    }

    let effect: Effect
    let settings: [SettingChange]
    let decisions: [DecisionChange]
    /// Blocks and wipes that launches begin or cease to do.
    private let launch: [LaunchChange]
    private let transition: Transition
    private let pool: PolicyPool

    var verdict: SettingChange.Verdict { SettingChange.Verdict(settings, decisions) }

    /// nil where the transition has no visible effect.
    init?(_ transition: Transition, _ requests: [SimulationScope.Request], _ device: DeviceFacts, _ pool: PolicyPool) {
        let (old, new) = (transition.before, transition.after)
        let before = DecisionProbe(old.inForce, transition.othersBefore, pool)
        let after = DecisionProbe(new.inForce, transition.othersAfter, pool)
        effect =
            old.delivers && !new.delivers
            ? .refused
            : old.inForce.isEmpty == new.inForce.isEmpty ? .changes : old.inForce.isEmpty ? .gains : .loses
        settings = before.policy.changes(to: after.policy)
        launch = before.policy.launchChanges(to: after.policy)
        decisions = requests.compactMap { request in
            DecisionChange(request.check, from: before.decide(request, device), to: after.decide(request, device))
        }
        self.transition = transition
        self.pool = pool
        if effect == .changes, settings.isEmpty, decisions.isEmpty, launch.isEmpty, old.json(pool) == new.json(pool) {
            return nil
        }
    }

    /// One of the changes in the reply of `mam_policy_simulate`.
    func json(accounts: [JSON]) -> JSON {
        [
            "effect": .string(effect.rawValue), "verdict": .string(verdict.rawValue), "message": .string(message),
            "accounts": .array(accounts), "before": transition.before.json(pool), "after": transition.after.json(pool),
            "launch": .array(launch.map(\.json)), "settings": .array(settings.map(\.json)),
            "decisions": .array(decisions.map { $0.json(in: .process) }),
        ]
    }

    private var message: String {
        switch effect {
        case .gains: "comes under policy: \(names(transition.after))"
        case .loses: "nothing restricts it any more: \(names(transition.before)) did"
        case .refused:
            transition.after.isKnown
                ? "the authority refuses its check-ins; an app keeps the policy that it has"
                : "the authority does not know the user any more; an app keeps the policy that it has"
        case .changes:
            switch verdict {
            case .same: "no setting changes"
            case .stricter: "gets stricter"
            case .looser: "gets looser"
            case .mixed: "gets stricter and looser, or changes where there is no order"
            }
        }
    }

    private func names(_ state: AccountState) -> String {
        let names = state.inForce.map { index in
            let policy = pool.documents[index]
            return ForeignText.quoted(policy.displayName.isEmpty ? policy.id : policy.displayName)
        }
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}

/// Answers requests as an app would in which the account, and the accounts that requests name, are enrolled.
private struct DecisionProbe {
    let policy: EffectivePolicy
    private let accountPolicy: AccountPolicy
    private let others: [TransferPeer]

    init(_ inForce: [Int], _ others: [Transition.Other], _ pool: PolicyPool) {
        policy = DecisionProbe.policy(inForce, pool)
        // Decisions compare tenants for equality only, so any two names serve.
        let own = "own"
        accountPolicy = inForce.isEmpty ? .unmanaged : .managed(accountId: "", tenantId: own, policy: policy)
        self.others = others.map { other in
            switch other {
            case .unmanaged: .other(.unmanaged)
            case .sameAccount: .sameAccount
            case .managed(let indices, let isSameTenant):
                .other(
                    .managed(
                        accountId: "", tenantId: isSameTenant ? own : "other",
                        policy: DecisionProbe.policy(indices, pool)))
            }
        }
    }

    func decide(_ request: SimulationScope.Request, _ device: DeviceFacts) -> Decision {
        let peer: TransferPeer =
            switch request.check.other {
            case .unknown: .unknown
            case .sameAccount: .sameAccount
            case .named: request.other.map { others[$0] } ?? .unknown
            }
        return accountPolicy.decide(request.check.action, peer, device: device)
    }

    private static func policy(_ indices: [Int], _ pool: PolicyPool) -> EffectivePolicy {
        EffectivePolicy(merging: indices.map { pool.documents[$0] }).prepared
    }
}
