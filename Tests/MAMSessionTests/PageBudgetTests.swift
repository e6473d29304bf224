import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

@Suite("pages of databases that a key may seal")
struct PageBudgetTests {
    @Test("a key that has sealed all it may is followed by the next, which is counted anew")
    func next() throws {
        let place = try Workplace()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let system = try session.databases.make("mam-budget", try Identity("ann@contoso.example"))
        let account = try #require(try session.current().accounts.first)
        let fact = "sealedPages/\(account.row.id.hex)"
        func counted() throws -> JSON? {
            try session.state.read { (view, _) throws(MAMError) -> JSON? in try view.facts.value(fact) }
        }

        #expect(session.databases.reserve(system) == PageBudget.block)
        #expect(try counted() == ["epoch": 1, "pages": .integer(PageBudget.block)])
        try session.state.write { (view) throws(MAMError) in
            try view.facts.set(fact, to: ["epoch": 1, "pages": .integer(PageBudget.limit - 1)])
        }
        #expect(session.databases.reserve(system) == PageBudget.block)
        #expect(try counted() == ["epoch": 2, "pages": .integer(PageBudget.block)])
        #expect(try session.current().accounts.first?.key?.epoch == 2)
        #expect(try session.databases.key(ofEpoch: 0, system)?.epoch == 2)
    }
}
