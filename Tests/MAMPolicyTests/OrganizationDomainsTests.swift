import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("OrganizationDomains")
struct OrganizationDomainsTests {
    static func contains(_ domains: OrganizationDomains, _ name: String) -> Bool {
        domains.containsOrResembles(Identity.fold(name))
    }

    @Test("domains of UPNs, what is below them, and misspelt ones")
    func automatic() {
        let domains = OrganizationDomains(of: ["ann@Contoso.Example", "ann-id", "@", "ann@", "@x"])
        #expect(Self.contains(domains, "@contoso.example"))
        #expect(Self.contains(domains, "AMN@contoso.EXAMPLE"))
        #expect(Self.contains(domains, "a@b@contoso.example"))
        for name in [
            "amn@contso.example", "amn@contoso.exmaple", "amn@mail.contoso.example", "amn@contoso",
            "amn@contoso.ex\u{430}mple",
            "amn@contos\u{1D428}.example", "amn@contoso.org", "amn@contoso.co.uk", "amn@contoso.com.example",
            "amn@contoso.example.org", "amn@contoso.onmicrosoft.com",
        ] {
            #expect(Self.contains(domains, name), "\(name)")
        }
        for name in [
            "amn@contosos.example.org", "amn@mycontoso.example", "ann@contos.exampel.", "amn@example", "x@x", "ann@",
            "",
        ] {
            #expect(!Self.contains(domains, name), "\(name)")
        }
    }

    @Test("a short domain is not near another one; a public mail provider is near none")
    func near() {
        let domains = OrganizationDomains(stated: ["ab.com", "gmaill.com", "fabrikam.de"])
        #expect(Self.contains(domains, "ann@fabrikan.de"))
        for name in ["ann@ac.com", "ann@gmail.com", "ann@ab.org", "ann@fabrika.fr", "ann@de.fabrikam.fr"] {
            #expect(!Self.contains(domains, name), "\(name)")
        }
    }

    @Test("a domain with another ending")
    func endings() {
        let domains = OrganizationDomains(stated: [
            "fabrikam.co.uk", "lab.northwind.example", "hotmail.example", "mail.ibm.com",
        ])
        for name in ["ann@fabrikam.fr", "ann@fabrikam.com.au", "ann@lab.northwind.org"] {
            #expect(Self.contains(domains, name), "\(name)")
        }
        for name in ["ann@lab.org", "ann@fabrikam.shop.example", "ann@mail.de", "ann@hotmail.com"] {
            #expect(!Self.contains(domains, name), "\(name)")
        }
    }

    @Test("traces are shared with what is one edit away")
    func traces() {
        let domain = Array("contoso.example".utf8)
        func isNear(_ other: String) -> Bool {
            !OrganizationDomains.lookalikeKeys(of: domain).isDisjoint(
                with: OrganizationDomains.lookalikeKeys(ofDomainIn: Array("ann@\(other)".utf8)))
        }
        for index in domain.indices {
            var (less, other, more, swapped) = (domain, domain, domain, domain)
            less.remove(at: index)
            other[index] = UInt8(ascii: "q")
            more.insert(UInt8(ascii: "q"), at: index)
            if index > 0 { swapped.swapAt(index - 1, index) }
            let cyrillic = domain[..<index] + Array("\u{430}".utf8) + domain[(index + 1)...]
            for near in [less, other, more, swapped, Array(cyrillic)] {
                #expect(isNear(String(decoding: near, as: UTF8.self)))
            }
        }
        for near in ["contoso", "contoso.de", "contoso.co.uk"] { #expect(isNear(near), "\(near)") }
        for far in ["fabrikam.example", "contos.de", "cont.example", "x", "example", "contos"] {
            #expect(!isNear(far), "\(far)")
        }
        #expect(
            OrganizationDomains.lookalikeKeys(of: Array("abcd.de".utf8)) == [Array("<abcd".utf8), Array("=abcd".utf8)])
        #expect(OrganizationDomains.lookalikeKeys(ofDomainIn: Array("ann@hotmail.com".utf8)).isEmpty)
    }

    @Test("domains in names without an at sign")
    func withoutAt() {
        let domains = OrganizationDomains(stated: ["contoso.example"])
        for name in [
            "contoso.example", "ann#contoso.example", "ann.contoso.example", "ann(at)Contoso.Example)",
            "contoso.example/ann",
            "contoso.example.", "CONTOSO\\ann", "HOME\\ann",
        ] {
            #expect(Self.contains(domains, name), "\(name)")
            #expect(!Self.contains(OrganizationDomains(stated: []), name), "\(name)")
        }
        for name in ["contoso", "mycontoso.example", "contoso.example.org", "ann", "...", "\u{e9}contoso.example"] {
            #expect(!Self.contains(domains, name), "\(name)")
        }
    }

    @Test("a public mail provider is not an organisation unless the host states it")
    func freeMail() {
        #expect(OrganizationDomains(of: ["ann@gmail.com", "bob@OUTLOOK.com"]).suffixes.isEmpty)
        #expect(Self.contains(OrganizationDomains(stated: ["Gmail.com"]), "ann@gmail.com"))
        #expect(OrganizationDomains(stated: []).suffixes.isEmpty)
    }

    @Test("the page lists the same providers, in order")
    func page() throws {
        let page = try PagesTests.page("identity.md")
        let words = page.split(whereSeparator: { " ,\n".contains($0) }).map { $0.hasSuffix(".") ? $0.dropLast() : $0 }
        let first = try #require(words.firstIndex(of: "126.com"))
        let listed = words[first...].prefix(OrganizationDomains.freeMailDomains.count).map(String.init)
        #expect(listed == OrganizationDomains.freeMailDomains)
        #expect(OrganizationDomains.freeMailDomains == OrganizationDomains.freeMailDomains.sorted())
    }
}
