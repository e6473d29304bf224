import MAMPolicy
import MAMSupport
import Testing

@Suite("people of one organisation")
struct PersonTests {
    private func person(_ names: [String], tenant: String? = nil) -> Person {
        Person(names: names.map { Identity.fold($0) }, tenantId: tenant)
    }

    @Test("share a tenant or the domain of a UPN, in any case")
    func organisation() {
        let ann = person(["ann-id", "ann@contoso.example"], tenant: "T-1")
        #expect(ann.sharesOrganisation(with: person(["bob@Contoso.EXAMPLE"])))
        #expect(ann.sharesOrganisation(with: person(["bob-id", "bob@fabrikam.example"], tenant: "t-1")))
        #expect(!ann.sharesOrganisation(with: person(["eve@personal.example"])))
        #expect(!ann.sharesOrganisation(with: person(["bob@mail.contoso.example"])))
        #expect(!ann.sharesOrganisation(with: person(["ann-id"])))
    }

    @Test("a name without a domain, and an empty tenant, are ignored", arguments: ["x", "@", "x@", "@x"])
    func nothing(_ name: String) {
        #expect(!person([name], tenant: "").sharesOrganisation(with: person([name], tenant: "")))
    }

    @Test("the same person under any of their names")
    func same() {
        let ann = person(["ann-id", "ann@contoso.example"])
        #expect(ann.isSame(as: person(["ANN@contoso.example"])))
        #expect(!ann.isSame(as: person(["bob@contoso.example"])))
    }
}
