import MAMSupport

extension AccountPolicy {
    /// Returns whether a link may be opened as it is: ``open(_:isKnownManaged:)`` without the reason.
    ///
    /// Mirrors `isURLAllowed:isKnownManagedAppScheme:`; docs/policy.md "Links".
    public func allowsOpening(_ link: Link, isKnownManaged: Bool) -> Bool {
        guard let policy else { return true }
        guard !policy.isLockDown, link.error == nil else { return false }
        return policy.policies.allSatisfy { $0.links.refusingSetting(for: link, isKnownManaged: isKnownManaged) == nil }
    }

    /// Decides whether a link may be opened as it is, and which links may be opened instead. `isKnownManaged`: the host knows
    /// that a managed app handles the scheme.
    public func open(_ link: Link, isKnownManaged: Bool = false) -> LinkDecision {
        guard let policy else { return .allowed }
        let action = RefusedAction(
            "Opening the link is refused", link.error == nil ? .refusedLink : .refusedInvalidLink)
        let refusal = policy.refusal(action, link.error, context: { link.context($0, level: $1) }) {
            $0.refusingSetting(for: link, isKnownManaged: isKnownManaged)
        }
        guard let refusal else { return .allowed }
        return LinkDecision(decision: Decision(refusal.reason), instead: link.instead(refusal.rules))
    }

    /// Decides whether an app other than a browser may open a web link.
    ///
    /// Mirrors `isUniversalLinkAllowed:`; docs/policy.md "Links".
    public func openUniversal(_ link: Link) -> Decision {
        guard let policy else { return .allowed }
        let action = RefusedAction("Opening the link in an app is refused", .refusedUniversalLink)
        guard let origin = link.origin else {
            return Decision(
                policy.refusal(action, link.error ?? .noWebLink, context: { _, _ in "" }) { _ in nil }?.reason)
        }
        return Decision(
            policy.refusal(
                action, nil,
                context: { _, level in
                    level == "managedApps"
                        ? " and the link is on neither exemptedUniversalLinks nor managedUniversalLinks" : ""
                }
            ) { $0.refusingSetting(forUniversal: origin, link) }?.reason)
    }
}

extension EffectivePolicy {
    /// Returns the reason that a link is refused, and the policies that refuse it. All of them refuse by the same setting,
    /// because a link depends on one only. Returns nil if every policy allows the link.
    fileprivate func refusal(
        _ action: RefusedAction, _ error: LinkError?, context: @escaping (PolicySetting, String?) -> String,
        by rule: (LinkRules) -> PolicySetting?
    ) -> (reason: Reason, rules: [LinkRules])? {
        if isLockDown { return (Reason(action, "the account", lockedDownBy: lockDownCause), []) }
        if let error { return (Reason(noSetting: action, error.words), []) }
        var refusing: [Int] = []
        var setting: PolicySetting?
        for (index, policy) in policies.enumerated() {
            guard let by = rule(policy.links) else { continue }
            setting = setting ?? by
            refusing.append(index)
        }
        guard let setting, let reason = reason(action, setting, of: refusing, context: { context($0, $1.string) })
        else { return nil }
        return (reason, refusing.map { policies[$0].links })
    }
}

extension Link {
    /// The reason that the link is malformed; nil for a well-formed one.
    var error: LinkError? { if case .malformed(let error) = kind { error } else { nil } }

    var origin: WebOrigin? { if case .web(let origin) = kind { origin } else { nil } }

    /// Returns the text that follows the setting and its policy in a message.
    fileprivate func context(_ setting: PolicySetting, level: String?) -> String {
        switch setting {
        case .managedBrowserRequired: " and the link is not exempt"
        case .outbound where level == "managedApps": " and \(scheme) is neither exempt nor a managed app's scheme"
        default: ""
        }
    }

    /// Returns the links that may be opened instead, according to the policies that refuse this one.
    fileprivate func instead(_ refusing: [LinkRules]) -> [[UInt8]] {
        guard !refusing.isEmpty else { return [] }
        switch kind {
        case .malformed: return []
        case .web(let origin):
            let inApp = refusing.allSatisfy { $0.isManaged(origin, self) } ? [managedCounterpart] : []
            return inApp + inBrowsers(refusing)
        case .telephone: return inApps(refusing.map(\.dialer))
        case .message: return inApps(refusing.map(\.messaging))
        case .other:
            guard refusing.allSatisfy(\.outbound.isWithinOrganisation) else { return [] }
            return [managedCounterpart] + (isMail ? [inManagedMail] : [])
        }
    }

    /// Prefers the managed browser if any policy requires it, else the browser of the policy with the lowest id.
    private func inBrowsers(_ refusing: [LinkRules]) -> [[UInt8]] {
        for case .managed in refusing.map(\.browser) { return [inManagedBrowserAlone, inManagedBrowser] }
        for case .custom(let scheme) in refusing.map(\.browser) { return [inBrowser(scheme)] }
        return []
    }

    /// Applies the strictest choice; among several apps, that of the policy with the lowest id.
    private func inApps(_ choices: [AppChoice]) -> [[UInt8]] {
        guard let strictest = choices.map(\.rank).max() else { return [] }
        switch choices.first(where: { $0.rank == strictest }) {
        case .managed: return [managedCounterpart]
        case .specific(.some(let scheme)): return [inApp(scheme)]
        default: return []
        }
    }
}
