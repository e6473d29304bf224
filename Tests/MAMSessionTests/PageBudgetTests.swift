import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession
import MAMProtection

@Suite("limit of database pages per key")
struct PageBudgetTests {
    @Test("a key at its limit is replaced by the next, and its count starts at zero")
    func next() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let system = try session.databases.makeVFS("mam-budget", try Identity("ann@contoso.example"))
        let account = try #require(try session.current().accounts.first)
        let key = KeyValueStore.Key.sealedPages(account.row.id)
        func counted() throws -> JSON? {
            try session.state.read { (view, _) throws(MAMError) -> JSON? in try view.values.value(key) }
        }

        #expect(session.databases.reserve(system) == PageBudget.block)
        #expect(try counted() == ["epoch": 1, "pages": .integer(PageBudget.block)])
        try session.state.write { (view) throws(MAMError) in
            try view.values.set(key, to: ["epoch": 1, "pages": .integer(PageBudget.limit - 1)])
        }
        #expect(session.databases.reserve(system) == PageBudget.block)
        #expect(try counted() == ["epoch": 2, "pages": .integer(PageBudget.block)])
        #expect(try session.current().accounts.first?.key?.epoch == 2)
        #expect(try session.databases.key(ofEpoch: 0, system)?.epoch == 2)
    }
}
