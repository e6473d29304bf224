import MAMSupport

/// The organisation's domains. An unknown name in one of them is more likely a mistake than a personal account;
/// docs/identity.md.
public struct OrganizationDomains: Sendable {
    private let domains: Set<[UInt8]>

    /// Creates domains that the host states. They are compared with ASCII letters folded.
    public init(stated domains: [String]) { self.domains = Set(domains.map { Identity.fold($0) }) }

    /// Creates the domains of managed accounts' UPNs, except for those of public mail providers, and those that the authority
    /// states for the accounts' tenants.
    public init(of upns: [String], stated: [String] = []) {
        let own = upns.compactMap { OrganizationDomains.domain(of: Identity.fold($0)).map(Array.init) }
        domains = Set(own.filter { !OrganizationDomains.freeMail.contains($0) } + stated.map { Identity.fold($0) })
    }

    /// The folded suffixes of names in the domains.
    public var suffixes: [[UInt8]] { domains.map { [UInt8(ascii: "@")] + $0 } }

    /// Returns whether a folded name is in one of the domains, by the part after its last "@".
    public func contains(_ folded: [UInt8]) -> Bool {
        folded.lastIndex(of: UInt8(ascii: "@")).map { domains.contains(Array(folded[($0 + 1)...])) } ?? false
    }

    /// Returns the part of a folded name after its last "@"; nil if either side is empty.
    package static func domain(of folded: [UInt8]) -> ArraySlice<UInt8>? {
        guard let at = folded.lastIndex(of: UInt8(ascii: "@")), at > 0, at < folded.count - 1 else { return nil }
        return folded[(at + 1)...]
    }

    private static let freeMail = Set(freeMailDomains.map { Array($0.utf8) })

    /// Domains of public mail providers. docs/identity.md contains the same list.
    public static let freeMailDomains = [
        "126.com", "163.com", "aim.com", "aol.com", "att.net", "bk.ru", "bluewin.ch", "btinternet.com", "comcast.net",
        "cox.net", "daum.net", "duck.com", "fastmail.com", "fastmail.fm", "free.fr", "freenet.de", "gmail.com",
        "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net", "googlemail.com", "hanmail.net", "hey.com", "hotmail.ca",
        "hotmail.co.uk", "hotmail.com", "hotmail.com.br", "hotmail.de", "hotmail.es", "hotmail.fr", "hotmail.it",
        "hushmail.com", "icloud.com", "inbox.ru", "laposte.net", "libero.it", "list.ru", "live.ca", "live.co.uk",
        "live.com", "live.com.au", "live.de", "live.fr", "live.nl", "mac.com", "mail.com", "mail.ru", "mailbox.org",
        "me.com", "msn.com", "naver.com", "o2.pl", "onet.pl", "orange.fr", "outlook.at", "outlook.com",
        "outlook.com.br", "outlook.de", "outlook.es", "outlook.fr", "outlook.it", "outlook.jp", "pm.me", "posteo.de",
        "proton.me", "protonmail.ch", "protonmail.com", "qq.com", "rambler.ru", "rediffmail.com", "rocketmail.com",
        "runbox.com", "sbcglobal.net", "seznam.cz", "sina.com", "skynet.be", "startmail.com", "t-online.de",
        "terra.com.br", "tuta.com", "tuta.io", "tutanota.com", "uol.com.br", "verizon.net", "virgilio.it", "wanadoo.fr",
        "web.de", "wp.pl", "yahoo.ca", "yahoo.co.in", "yahoo.co.jp", "yahoo.co.uk", "yahoo.com", "yahoo.com.au",
        "yahoo.com.br", "yahoo.de", "yahoo.es", "yahoo.fr", "yahoo.in", "yahoo.it", "yandex.com", "yandex.ru",
        "yeah.net",
        "ymail.com", "ziggo.nl", "zoho.com", "zohomail.com",
    ]
}
