import Foundation
import MAMState
import MAMSupport
import Testing

@Suite("Closing accounts and destroying their keys")
struct DestroyingTests {
    @Test(
        "a destroyed key is a promise, and a failed commit does not bring it back", arguments: [false, true])
    func tombstones(isReadOnly: Bool) throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        let row = try state.publish { (view) throws(MAMError) in try view.accounts.add(record("ann@contoso.example")) }
        let tombstone = Tombstone(reason: "administrator", wipe: 0x1122_3344_5566_7788)
        if isReadOnly {
            // A share that cannot be written: it goes all the same, and a link stands for it.
            let share = place.group + "/shares/" + row.id.hex
            try FileManager.default.removeItem(atPath: share)
            try FileManager.default.createSymbolicLink(atPath: share, withDestinationPath: "/etc/passwd")
        }
        try state.destroy(row.id, tombstone)
        #expect(throws: MAMError(.canceled, "")) {
            try state.publish { (view) throws(MAMError) in
                let tag = AccountTag(row.record)
                _ = try view.journal.add(WipeEntry(unwritten: row.id, app: "a", tag: tag, tombstone: tombstone))
                throw MAMError(.canceled, "")
            }
        }
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .wiped(let id, let tag, let found)? = entries.first else {
            Issue.record("\(entries)")
            return
        }
        #expect(id == row.id && tag?.upn == "ann@contoso.example")
        #expect(found.reason == "administrator" && found.wipe == 0x1122_3344_5566_7788)
        try state.shred(row.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.group + "/shares").isEmpty)
    }

    @Test("an account that is closed for its wipe is so in every session, before the disk says so, until it is settled")
    func announced() throws {
        let place = try TemporaryState()
        let state = try place.open()
        let other = try place.open()
        defer {
            state.close()
            other.close()
        }
        let row = try state.publish { (view) throws(MAMError) in try view.accounts.add(record("ann@contoso.example")) }
        let before = try other.read { (_, word) throws(MAMError) in word }
        #expect(other.isCurrent(before))
        state.announce(row.id, Tombstone(reason: "pin", wipe: nil))
        #expect(!other.isCurrent(before) && other.isBeingCommitted)
        try other.repairGeneration()
        #expect(!other.isCurrent(before) && !other.isBeingCommitted)
        let entries = try other.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .wiped(let id, _, let tombstone)? = entries.first, id == row.id else {
            Issue.record("\(entries)")
            return
        }
        #expect(tombstone.reason == "pin")
        #expect(other.announcements.map(\.account) == [row.id])
        // A commit that began before and fails does not bring the former word back.
        #expect(throws: MAMError(.canceled, "")) {
            try other.publish { (view) throws(MAMError) in
                state.announce(row.id, tombstone)
                throw MAMError(.canceled, "")
            }
        }
        #expect(other.isBeingCommitted)
        other.settle(row.id)
        #expect(state.announcements.isEmpty)
    }

    @Test("one share that is missing beside others is a wipe; all of them, or several, are a loss")
    func missingShares() throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        let ids = try ["ann", "bob", "cyd"].map { name in
            try state.publish { (view) throws(MAMError) in try view.accounts.add(record(name)).id }
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
        let shares = place.group + "/shares/"
        #expect(try states() == ["open", "open", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[1].hex)
        #expect(try states() == ["open", "wiped", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[0].hex)
        #expect(try states() == ["closed", "closed", "open"])
        try FileManager.default.removeItem(atPath: shares + ids[2].hex)
        #expect(try states() == ["closed", "closed", "closed"])
    }
}
