import MAMProtection
import MAMSupport
import Testing

@testable import MAMState

@Suite("epochs of data keys")
struct EpochTests {
    @Test("the epochs of an account are bounded, and each opens by its name")
    func bound() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.commitForAll { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            try view.keys.makeFirst(for: row)
            let first = try view.keys.newest(of: row)
            #expect(first?.epoch == 1)
            var latest: Int64 = 1
            while latest < AccountKeyStore.maximumEpochs { latest = try view.keys.makeNext(for: row) }
            #expect(throws: MAMError(.noSpace, "")) { try view.keys.makeNext(for: row) }
            let newest = try view.keys.newest(of: row)
            #expect(newest.map { Int64($0.epoch) } == latest)
            for key in [first, newest].compactMap({ $0 }) {
                #expect(try view.keys.key(named: key.id, epoch: key.epoch, of: row) != nil)
                #expect(try view.keys.key(named: key.id, epoch: key.epoch - 1, of: row) == nil)
            }
        }
    }

    @Test("a re-enrolled account continues after its former epochs")
    func goesOn() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.commitForAll { (view) throws(MAMError) in
            var row = try view.accounts.add(record("ann@contoso.example"))
            row = try view.accounts.change(row) { $0.dataEpoch = 7 }
            try view.keys.makeFirst(for: row)
            #expect(try view.keys.newest(of: row)?.epoch == 8)
            try view.keys.makeFirst(for: row)
            #expect(try view.keys.newest(of: row)?.epoch == 8)
        }
    }
}
