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

    /// Returns whether a folded name is in one of the domains or below it, or looks as if it were meant to be: a domain is misspelt,
    /// lacks its last labels or has others, or stands in a name without "@".
    public func containsOrResembles(_ folded: [UInt8]) -> Bool {
        guard !domains.isEmpty else { return false }
        return OrganizationDomains.isOfWindowsDomain(folded) || isOfMisspeltDomain(folded)
            || OrganizationDomains.candidates(folded).contains { domains.contains(Array($0)) }
    }

    private func isOfMisspeltDomain(_ folded: [UInt8]) -> Bool {
        guard let domain = OrganizationDomains.domain(of: folded).map(Array.init),
            !OrganizationDomains.freeMail.contains(domain)
        else { return false }
        let dot = UInt8(ascii: ".")
        let stem = OrganizationDomains.withoutEnding(domain[...])
        return domains.contains {
            NearestName.isMisspelt(domain, of: $0) || $0.starts(with: domain + [dot]) || domain.starts(with: $0 + [dot])
                || stem != nil && stem == OrganizationDomains.withoutEnding($0[...])
        }
    }

    /// The labels before the last one that belong to an ending.
    private static let endings = Set(
        ["ac", "co", "com", "edu", "gov", "ne", "net", "onmicrosoft", "or", "org"].map { Array($0.utf8) })

    /// A domain without its ending, as `.com`, `.co.uk` or a tenant's `.onmicrosoft.com`; nil where less than four bytes are left,
    /// which many organisations share.
    private static func withoutEnding(_ domain: ArraySlice<UInt8>) -> [UInt8]? {
        let dot = UInt8(ascii: ".")
        guard var end = domain.lastIndex(of: dot) else { return nil }
        if let before = domain[..<end].lastIndex(of: dot), endings.contains(Array(domain[(before + 1)..<end])) {
            end = before
        }
        return end - domain.startIndex >= 4 ? Array(domain[..<end]) : nil
    }

    /// The texts by which a name in a domain like this one is recognised: one edit away, without its last labels or with others.
    public static func lookalikeKeys(of domain: some Collection<UInt8>) -> Set<[UInt8]> {
        misspellings(of: domain).union(beginnings(of: domain).map { shortened($0) }).union(
            [stemKey(of: Array(domain)[...])].compactMap(\.self))
    }

    /// The texts by which the domain of a folded name is like another; none for a public mail provider's.
    package static func lookalikeKeys(ofDomainIn folded: [UInt8]) -> Set<[UInt8]> {
        guard let domain = domain(of: folded), !freeMail.contains(Array(domain)) else { return [] }
        return misspellings(of: domain).union([shortened(domain), stemKey(of: domain)].compactMap(\.self))
    }

    /// A domain, and the domain without each of its characters: two domains that differ by one edit share one of these. None for a
    /// short domain, which is near too many others.
    private static func misspellings(of domain: some Collection<UInt8>) -> Set<[UInt8]> {
        let whole = [[UInt8(ascii: "~")]] + NearestName.characters(domain)
        guard whole.count > 8 else { return [] }
        func without(_ index: Int) -> [UInt8] { Array((whole[..<index] + whole[(index + 1)...]).joined()) }
        return Set(whole.indices.dropFirst().map(without) + [Array(whole.joined())])
    }

    /// The one of these texts by which a domain with another ending is recognised; nil where none is.
    public static func stemKey(of domain: ArraySlice<UInt8>) -> [UInt8]? {
        withoutEnding(domain).map { [UInt8(ascii: "=")] + $0 }
    }

    private static func shortened(_ domain: some Collection<UInt8>) -> [UInt8] { [UInt8(ascii: "<")] + domain }

    /// The beginnings of a folded name's domain, each up to one of its dots.
    package static func beginnings(ofDomainIn folded: [UInt8]) -> [ArraySlice<UInt8>] {
        domain(of: folded).map { beginnings(of: $0) } ?? []
    }

    private static func beginnings<Domain: Collection<UInt8>>(of domain: Domain) -> [Domain.SubSequence] {
        domain.indices.filter { domain[$0] == UInt8(ascii: ".") }.map { domain[..<$0] }
    }

    /// Returns whether a folded name has the form of accounts of Windows domains, `CONTOSO\ann`. Such a domain's name says nothing
    /// of the one in the accounts' UPNs.
    package static func isOfWindowsDomain(_ folded: [UInt8]) -> Bool {
        folded.contains(UInt8(ascii: "\\")) && !folded.contains(UInt8(ascii: "@"))
    }

    /// The parts of a folded name that may be a domain: what follows its last "@", else each run of labels and dots, and what
    /// follows each dot in these.
    package static func candidates(_ folded: [UInt8]) -> [ArraySlice<UInt8>] {
        let dot = UInt8(ascii: ".")
        let runs = domain(of: folded).map { [$0] } ?? folded.split { !isOfLabel($0) && $0 != dot }
        return runs.flatMap { run in
            let end = run.lastIndex { $0 != dot }.map { $0 + 1 } ?? run.startIndex
            let labels = run[..<end].split(separator: dot)
            return labels.map { run[$0.startIndex..<end] }
        }
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
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
