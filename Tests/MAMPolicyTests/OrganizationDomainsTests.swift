import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("OrganizationDomains")
struct OrganizationDomainsTests {
    static func contains(_ domains: OrganizationDomains, _ name: String) -> Bool {
        domains.contains(Identity.fold(name))
    }

    @Test("domains of UPNs, exactly")
    func automatic() {
        let domains = OrganizationDomains(of: ["ann@Contoso.Example", "ann-id", "@", "ann@", "@x"])
        #expect(Self.contains(domains, "@contoso.example"))
        #expect(Self.contains(domains, "AMN@contoso.EXAMPLE"))
        #expect(Self.contains(domains, "a@b@contoso.example"))
        for name in [
            "amn@contso.example", "amn@mail.contoso.example", "amn@contoso.example.org", "contoso.example", "x@x",
            "ann@", "",
        ] {
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
