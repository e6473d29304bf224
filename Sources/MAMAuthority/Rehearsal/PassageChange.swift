import MAMPolicy
import MAMSupport

/// What changes for everybody who makes one passage.
struct PassageChange {
    /// In a word.
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
    /// What begins or stops to block or wipe at launches.
    private let launch: [LaunchChange]
    private let passage: Passage
    private let shelf: PolicyShelf

    var verdict: SettingChange.Verdict { SettingChange.Verdict(settings, decisions) }

    /// nil where nobody would notice.
    init?(_ passage: Passage, _ questions: [Cast.Question], _ device: DeviceFacts, _ shelf: PolicyShelf) {
        let (old, new) = (passage.before, passage.after)
        let was = Witness(old.inForce, passage.othersBefore, shelf)
        let will = Witness(new.inForce, passage.othersAfter, shelf)
        effect =
            old.delivers && !new.delivers
            ? .refused
            : old.inForce.isEmpty == new.inForce.isEmpty ? .changes : old.inForce.isEmpty ? .gains : .loses
        settings = was.policy.changes(to: will.policy)
        launch = was.policy.launchChanges(to: will.policy)
        decisions = questions.compactMap { question in
            DecisionChange(
                question.request, from: was.answer(question, device), to: will.answer(question, device))
        }
        self.passage = passage
        self.shelf = shelf
        if effect == .changes, settings.isEmpty, decisions.isEmpty, launch.isEmpty, old.json(shelf) == new.json(shelf) {
            return nil
        }
    }

    /// One of the changes in `mam_policy_simulate`'s reply.
    func json(accounts: [JSON]) -> JSON {
        [
            "effect": .string(effect.rawValue), "verdict": .string(verdict.rawValue), "message": .string(message),
            "accounts": .array(accounts), "before": passage.before.json(shelf), "after": passage.after.json(shelf),
            "launch": .array(launch.map(\.json)), "settings": .array(settings.map(\.json)),
            "decisions": .array(decisions.map(\.json)),
        ]
    }

    private var message: String {
        switch effect {
        case .gains: "comes under policy: \(names(passage.after))"
        case .loses: "nothing restricts it any more: \(names(passage.before)) did"
        case .refused:
            passage.after.isKnown
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

    private func names(_ position: Position) -> String {
        let names = position.inForce.map { place in
            let policy = shelf.documents[place]
            return Line.quoted(policy.displayName.isEmpty ? policy.id : policy.displayName)
        }
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}

/// Answers requests for an account as an app would, in which it and the accounts that requests name are enrolled.
private struct Witness {
    let policy: EffectivePolicy
    private let party: Party
    private let others: [Counterpart]

    init(_ inForce: [Int], _ others: [Passage.Other], _ shelf: PolicyShelf) {
        policy = Witness.policy(inForce, shelf)
        // Of tenants it only counts whether they are the same.
        let own = "own"
        party = inForce.isEmpty ? .unmanaged : .managed(accountId: "", tenantId: own, policy: policy)
        self.others = others.map { other in
            switch other {
            case .unmanaged: .other(.unmanaged)
            case .sameAccount: .sameAccount
            case .managed(let places, let isSameTenant):
                .other(
                    .managed(
                        accountId: "", tenantId: isSameTenant ? own : "other", policy: Witness.policy(places, shelf)))
            }
        }
    }

    func answer(_ question: Cast.Question, _ device: DeviceFacts) -> Decision {
        let counterpart: Counterpart =
            switch question.request.other {
            case .unknown: .unknown
            case .sameAccount: .sameAccount
            case .named: question.name.map { others[$0] } ?? .unknown
            }
        return party.decide(question.request.question, counterpart, device: device)
    }

    private static func policy(_ places: [Int], _ shelf: PolicyShelf) -> EffectivePolicy {
        EffectivePolicy(merging: places.map { shelf.documents[$0] }).prepared
    }
}
