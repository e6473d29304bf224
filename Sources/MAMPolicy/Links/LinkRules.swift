import MAMSupport

/// What one policy says about links. Several policies allow what each of them allows.
struct LinkRules: Sendable {
    /// Where web links go.
    enum Browser: Sendable, Equatable {
        case any, managed
        /// The browser that has this scheme for http, and the same with an "s" for https.
        case custom(String)
    }

    let outbound: TransferLevel
    let browser: Browser
    let dialer: AppChoice
    let messaging: AppChoice
    private let exemptSchemes: Set<String>?
    private let exemptLinks: LinkList?
    private let managedLinks: LinkList?

    /// The rules of one policy. `lent`: lists of others, for a policy that cannot state them.
    init(_ settings: PolicySettings, lent: [PolicySetting: [String]] = [:]) {
        func list(_ setting: PolicySetting) -> [String]? {
            settings.value(of: setting.name)?.array?.compactMap(\.string) ?? lent[setting]
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

    /// The setting by which the link may not be opened as it is; nil where it may.
    func refusal(of link: Link, isKnownManaged: Bool) -> PolicySetting? {
        switch link.kind {
        case .web(let site): browser == .any || isExempt(site, link) ? nil : .managedBrowserRequired
        case .telephone: dialer.allows(isKnownManaged) ? nil : .dialerLevel
        case .message: messaging.allows(isKnownManaged) ? nil : .messagingLevel
        case .other: allowsScheme(of: link, isKnownManaged) ? nil : .outbound
        case .flawed: .outbound  // not asked: refused by no setting
        }
    }

    /// The setting by which no app but a browser may open a web link; nil where one may.
    func refusal(ofUniversal site: Site, _ link: Link) -> PolicySetting? {
        outbound == .allApps || isExempt(site, link) || isManaged(site, link) ? nil : .outbound
    }

    private func allowsScheme(of link: Link, _ isKnownManaged: Bool) -> Bool {
        switch outbound {
        case .allApps: true
        case .organisation: isKnownManaged || LinkScheme.isManaged(link.scheme)
        case .managedApps:
            isKnownManaged || LinkScheme.isManaged(link.scheme)
                || (exemptSchemes?.contains(link.scheme) ?? StandardLinks.exemptSchemes.contains(link.scheme))
        case .none: false
        }
    }

    /// Exceptions are from the level of managed apps; there are none from the level of none.
    private func isExempt(_ site: Site, _ link: Link) -> Bool {
        outbound != .none && outbound != .organisation
            && (exemptLinks ?? StandardLinks.exemptLinkList).contains(site, of: link)
    }

    /// Whether an app that is managed may open it in a browser's place.
    func isManaged(_ site: Site, _ link: Link) -> Bool {
        outbound != .none && (managedLinks ?? StandardLinks.managedLinkList).contains(site, of: link)
    }
}

extension AppChoice {
    fileprivate func allows(_ isKnownManaged: Bool) -> Bool { self == .any || (self == .managed && isKnownManaged) }
}
