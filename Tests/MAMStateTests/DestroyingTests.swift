import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMState

@Suite("Closing accounts and destroying their keys")
struct DestroyingTests {
    @Test(
        "a destroyed key is a promise, and a failed commit does not bring it back", arguments: [false, true])
    func tombstones(isReadOnly: Bool) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let row = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.add(record("ann@contoso.example"))
        }
        let tombstone = Tombstone(reason: .administrator, wipe: 0x1122_3344_5566_7788)
        if isReadOnly {
            // A share that cannot be written is replaced by a link.
            let share = temporary.group + "/shares/" + row.id.hex
            try FileManager.default.removeItem(atPath: share)
            try FileManager.default.createSymbolicLink(atPath: share, withDestinationPath: "/etc/passwd")
        }
        try state.destroyKey(row.id, tombstone)
        #expect(throws: MAMError(.canceled, "")) {
            try state.commitForAll { (view) throws(MAMError) in
                let tag = AccountTag(row.record)
                _ = try view.journal.add(WipeEntry(notInJournal: row.id, app: "a", tag: tag, tombstone: tombstone))
                throw MAMError(.canceled, "")
            }
        }
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .wiped(let id, let tag, let found)? = entries.first else {
            Issue.record("\(entries)")
            return
        }
        #expect(id == row.id && tag?.upn == "ann@contoso.example")
        #expect(found.reason == .administrator && found.wipe == 0x1122_3344_5566_7788)
        try state.removeShare(row.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.group + "/shares").isEmpty)
    }

    @Test(
        "an account that is closed for its wipe is closed in every session, before the commit and until the wipe ends")
    func closure() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        let other = try temporary.open()
        defer {
            state.close()
            other.close()
        }
        let row = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.add(record("ann@contoso.example"))
        }
        let before = try other.read { (_, word) throws(MAMError) in word }
        #expect(other.isCurrent(before))
        state.recordAccountClosure(row.id, Tombstone(reason: .pin, wipe: nil))
        #expect(!other.isCurrent(before) && other.isBeingCommitted)
        try other.repairGeneration()
        #expect(!other.isCurrent(before) && !other.isBeingCommitted)
        let entries = try other.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .wiped(let id, _, let tombstone)? = entries.first, id == row.id else {
            Issue.record("\(entries)")
            return
        }
        #expect(tombstone.reason == .pin)
        #expect(other.accountsClosedForWipe.map(\.account) == [row.id])
        // A commit that began before and fails must not restore the former generation word.
        #expect(throws: MAMError(.canceled, "")) {
            try other.commitForAll { (view) throws(MAMError) in
                state.recordAccountClosure(row.id, tombstone)
                throw MAMError(.canceled, "")
            }
        }
        #expect(other.isBeingCommitted)
        other.removeAccountClosure(row.id)
        #expect(state.accountsClosedForWipe.isEmpty)
    }

    @Test("one share that is missing beside others is a wipe; all of them, or several, are a loss")
    func missingShares() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let ids = try ["ann", "bob", "cyd"].map { name in
            try state.commitForAll { (view) throws(MAMError) in try view.accounts.add(record(name)).id }
        }
        func states() throws -> [String] {
            try state.read { (view, _) throws(MAMError) in try view.accounts.all() }.map { entry in
                switch entry {
                case .open: "open"
                case .closed: "closed"
                case .wiped: "wiped"
                }
            }
        }
        let shares = temporary.group + "/shares/"
        #expect(try states() == ["open", "open", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[1].hex)
        #expect(try states() == ["open", "wiped", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[0].hex)
        #expect(try states() == ["closed", "closed", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[2].hex)
        #expect(try states() == ["closed", "closed", "closed"])
    }
}
