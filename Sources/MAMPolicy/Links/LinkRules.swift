import MAMSupport

/// The link rules of one policy. Several policies allow what each of them allows.
struct LinkRules: Sendable {
    /// The browser that web links are opened in.
    enum Browser: Sendable, Equatable {
        case any, managed
        /// The browser with this scheme for http, and the same with an "s" for https.
        case custom(String)
    }

    let outbound: TransferLevel
    let browser: Browser
    let dialer: AppChoice
    let messaging: AppChoice
    private let exemptSchemes: Set<String>?
    private let exemptLinks: LinkList?
    private let managedLinks: LinkList?

    /// Creates the rules of one policy; `shared` are the lists of other policies, for a policy that cannot state them.
    init(_ settings: PolicySettings, shared: [PolicySetting: [String]] = [:]) {
        func list(_ setting: PolicySetting) -> [String]? {
            settings.value(of: setting.name)?.array?.compactMap(\.string) ?? shared[setting]
        }
        outbound = settings.level(.outbound)
        if !settings.isTrue(.managedBrowserRequired) {
            browser = .any
        } else if !settings.restricts(by: .managedBrowser),
            let scheme = settings.value(.customBrowserProtocol).string.flatMap(LinkScheme.destination)
        {
            browser = .custom(scheme)
        } else {
            browser = .managed
        }
        dialer = AppChoice(
            settings.value(.dialerLevel).string, scheme: settings.value(.customDialerProtocol).string)
        messaging = AppChoice(
            settings.value(.messagingLevel).string, scheme: settings.value(.messagingScheme).string)
        exemptSchemes = list(.exemptedProtocols).map(Set.init)
        exemptLinks = list(.exemptedLinks).map(LinkList.init)
        managedLinks = list(.managedLinks).map(LinkList.init)
    }

    /// Returns the setting that prevents the link from being opened as it is; nil if it may be opened.
    func refusingSetting(for link: Link, isKnownManaged: Bool) -> PolicySetting? {
        switch link.kind {
        case .web(let origin): browser == .any || isExempt(origin, link) ? nil : .managedBrowserRequired
        case .telephone: dialer.allows(isKnownManaged) ? nil : .dialerLevel
        case .message: messaging.allows(isKnownManaged) ? nil : .messagingLevel
        case .other: allowsScheme(of: link, isKnownManaged) ? nil : .outbound
        case .malformed: .outbound  // not evaluated: no setting refuses it
        }
    }

    /// Returns the setting that reserves a web link for browsers; nil if another app may open it.
    func refusingSetting(forUniversal origin: WebOrigin, _ link: Link) -> PolicySetting? {
        outbound == .allApps || isExempt(origin, link) || isManaged(origin, link) ? nil : .outbound
    }

    private func allowsScheme(of link: Link, _ isKnownManaged: Bool) -> Bool {
        switch outbound {
        case .allApps: true
        case .organisation: isKnownManaged || LinkScheme.isManaged(link.scheme)
        case .managedApps:
            isKnownManaged || LinkScheme.isManaged(link.scheme)
                || (exemptSchemes?.contains(link.scheme) ?? DefaultLinks.exemptSchemes.contains(link.scheme))
        case .none: false
        }
    }

    /// Exemptions apply to the levels `allApps` and `managedApps` alone.
    private func isExempt(_ origin: WebOrigin, _ link: Link) -> Bool {
        outbound != .none && outbound != .organisation
            && (exemptLinks ?? DefaultLinks.exemptLinkList).contains(origin, of: link)
    }

    /// Returns whether a managed app may open the link in place of a browser.
    func isManaged(_ origin: WebOrigin, _ link: Link) -> Bool {
        outbound != .none && (managedLinks ?? DefaultLinks.managedLinkList).contains(origin, of: link)
    }
}

extension AppChoice {
    fileprivate func allows(_ isKnownManaged: Bool) -> Bool { self == .any || (self == .managed && isKnownManaged) }
}
