extension Party {
    /// Whether a link may be opened as it is: the answer of ``open(_:isKnownManaged:)`` alone.
    ///
    /// Mirrors `isURLAllowed:isKnownManagedAppScheme:`; docs/policy.md "Links".
    public func allowsOpening(_ link: Link, isKnownManaged: Bool) -> Bool {
        guard let policy else { return true }
        guard !policy.isLockDown, link.flaw == nil else { return false }
        return policy.parts.allSatisfy { $0.links.refusal(of: link, isKnownManaged: isKnownManaged) == nil }
    }

    /// Whether a link may be opened as it is, why not, and what may be opened instead. `isKnownManaged`: the host knows that
    /// a managed app takes the scheme.
    public func open(_ link: Link, isKnownManaged: Bool = false) -> LinkDecision {
        guard let policy else { return .allowed }
        let words = "Opening the link is refused"
        let refusal = policy.refusal(words, link.flaw, context: { link.context($0, level: $1) }) {
            $0.refusal(of: link, isKnownManaged: isKnownManaged)
        }
        guard let refusal else { return .allowed }
        return LinkDecision(decision: Decision(refusal.reason), instead: link.instead(refusal.parts))
    }

    /// Whether a web link may be opened by an app, where no browser is to open it.
    ///
    /// Mirrors `isUniversalLinkAllowed:`; docs/policy.md "Links".
    public func openUniversal(_ link: Link) -> Decision {
        guard let policy else { return .allowed }
        let words = "Opening the link in an app is refused"
        guard let site = link.site else {
            return Decision(
                policy.refusal(words, link.flaw ?? .noWebLink, context: { _, _ in "" }) { _ in nil }?.reason)
        }
        return Decision(
            policy.refusal(
                words, nil,
                context: { _, level in
                    level == "managedApps"
                        ? " and the link is on neither exemptedUniversalLinks nor managedUniversalLinks" : ""
                }
            ) { $0.refusal(ofUniversal: site, link) }?.reason)
    }
}

extension EffectivePolicy {
    /// Why a link is refused, and the policies that refuse it: each by the same setting, since a link asks one alone. nil
    /// where every policy allows it.
    fileprivate func refusal(
        _ words: String, _ flaw: LinkFlaw?, context: @escaping (PolicySetting, String?) -> String,
        by rule: (LinkRules) -> PolicySetting?
    ) -> (reason: Reason, parts: [LinkRules])? {
        if isLockDown { return (Reason(words, "the account", lockedDownBy: lockDownCause), []) }
        if let flaw { return (Reason(noSetting: "\(words): \(flaw.words)"), []) }
        var refusing: [Int] = []
        var setting: PolicySetting?
        for (index, part) in parts.enumerated() {
            guard let by = rule(part.links) else { continue }
            setting = setting ?? by
            refusing.append(index)
        }
        guard let setting, let reason = reason(words, setting, of: refusing, context: { context($0, $1.string) })
        else { return nil }
        return (reason, refusing.map { parts[$0].links })
    }
}

extension Link {
    /// What is wrong with it.
    var flaw: LinkFlaw? { if case .flawed(let flaw) = kind { flaw } else { nil } }

    var site: Site? { if case .web(let site) = kind { site } else { nil } }

    /// What a message says after the setting and its policy.
    fileprivate func context(_ setting: PolicySetting, level: String?) -> String {
        switch setting {
        case .managedBrowserRequired: " and the link is not exempt"
        case .outbound where level == "managedApps": " and \(scheme) is neither exempt nor a managed app's scheme"
        default: ""
        }
    }

    /// What may be opened in its place, as the policies that refuse it say.
    fileprivate func instead(_ refusing: [LinkRules]) -> [[UInt8]] {
        guard !refusing.isEmpty else { return [] }
        switch kind {
        case .flawed: return []
        case .web(let site):
            let inApp = refusing.allSatisfy { $0.isManaged(site, self) } ? [managedCounterpart] : []
            return inApp + inBrowsers(refusing)
        case .telephone: return inApps(refusing.map(\.dialer))
        case .message: return inApps(refusing.map(\.messaging))
        case .other: return refusing.allSatisfy(\.outbound.isWithinOrganisation) ? [managedCounterpart] : []
        }
    }

    /// One policy that wants the managed browser is enough; of several browsers the one of the lowest id.
    private func inBrowsers(_ refusing: [LinkRules]) -> [[UInt8]] {
        for case .managed in refusing.map(\.browser) { return [inManagedBrowserAlone, inManagedBrowser] }
        for case .custom(let scheme) in refusing.map(\.browser) { return [inBrowser(scheme)] }
        return []
    }

    /// The strictest choice; of several apps the one of the lowest id.
    private func inApps(_ choices: [AppChoice]) -> [[UInt8]] {
        guard let strictest = choices.map(\.rank).max() else { return [] }
        switch choices.first(where: { $0.rank == strictest }) {
        case .managed: return [managedCounterpart]
        case .specific(.some(let scheme)): return [inApp(scheme)]
        default: return []
        }
    }
}
