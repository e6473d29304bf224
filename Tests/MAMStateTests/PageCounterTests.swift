import MAMSupport
import Testing

@testable import MAMState

@Suite("pages of databases that a key has sealed")
struct PageCounterTests {
    @Test("blocks count up to the limit, a newer epoch starts at zero, an older one continues")
    func counts() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.commitForAll { (view) throws(MAMError) in
            let ann = try view.accounts.add(record("ann@contoso.example")).id
            let bob = try view.accounts.add(record("bob@contoso.example")).id
            func reserve(_ account: AccountRowID, epoch: Int64) throws(MAMError) -> Bool {
                try view.pages.reserve(4, atMost: 10, of: account, epoch: epoch)
            }
            #expect(try reserve(ann, epoch: 1))
            #expect(try reserve(ann, epoch: 1))
            #expect(try !reserve(ann, epoch: 1))
            #expect(try reserve(bob, epoch: 1))
            #expect(try reserve(ann, epoch: 2))
            #expect(try reserve(ann, epoch: 1))
            #expect(try !reserve(ann, epoch: 2))
        }
    }

    @Test("a count survives the process, and an edited one is refused")
    func isSealed() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        let ann = try state.commitForAll { (view) throws(MAMError) -> AccountRowID in
            let ann = try view.accounts.add(record("ann@contoso.example")).id
            _ = try view.pages.reserve(10, atMost: 10, of: ann, epoch: 1)
            return ann
        }
        state.close()
        let again = try temporary.open()
        defer { again.close() }
        try again.write { (view) throws(MAMError) in
            #expect(try !view.pages.reserve(1, atMost: 10, of: ann, epoch: 1))
        }
        try temporary.tamper("UPDATE facts SET value = zeroblob(90) WHERE name LIKE 'sealedPages/%'")
        #expect(throws: MAMError.self) {
            try again.write { (view) throws(MAMError) in
                _ = try view.pages.reserve(1, atMost: 10, of: ann, epoch: 1)
            }
        }
    }
}
