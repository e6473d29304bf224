import Foundation
import MAMState
import MAMSupport
import Testing

/// What somebody with this user's rights does to the database behind libmam's back.
@Suite("states that were changed outside")
struct TamperTests {
    @Test(
        "without a generation that is a count nobody reads, commits or opens",
        arguments: [
            "DELETE FROM meta WHERE name = 'generation'", "UPDATE meta SET value = 'abc' WHERE name = 'generation'",
            "UPDATE meta SET value = 9223372036854775807 WHERE name = 'generation'",
            "UPDATE meta SET value = -1 WHERE name = 'generation'",
        ])
    func generation(_ edit: String) throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        try place.tamper(edit)
        #expect(throws: MAMError(.tampered, "")) { try state.read { (_, _) throws(MAMError) in } }
        #expect(throws: MAMError(.tampered, "")) { try state.publish { (_) throws(MAMError) in } }
        #expect(throws: MAMError(.tampered, "")) { try place.open() }
    }

    @Test("a generation set back does not come round to what a session holds")
    func generationSetBack() throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        try state.publish { (_) throws(MAMError) in }
        let held = try state.read { (_, generation) throws(MAMError) in generation }
        try place.tamper("UPDATE meta SET value = value - 1 WHERE name = 'generation'")
        let other = try place.open()
        defer { other.close() }
        try other.publish { (_) throws(MAMError) in }
        #expect(!state.isCurrent(held))
    }

    @Test(
        "a trigger, a view or a table that libmam did not make closes the state, also while it is open",
        arguments: [
            "CREATE TRIGGER veto BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'no'); END",
            "CREATE TRIGGER lost BEFORE INSERT ON journal BEGIN SELECT raise(IGNORE); END",
            "DROP TABLE outcomes; CREATE VIEW outcomes AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT * FROM n",
            "CREATE TABLE mine (x)", "DROP INDEX accounts_by_app", "ALTER TABLE policies ADD COLUMN x",
            "CREATE UNIQUE INDEX one ON journal (app)", "PRAGMA user_version = 1",
        ])
    func schema(_ edit: String) throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        try state.read { (_, _) throws(MAMError) in }
        try place.tamper(edit)
        if !edit.hasPrefix("PRAGMA") {
            #expect(throws: MAMError(.tampered, "")) { try state.read { (_, _) throws(MAMError) in } }
            #expect(throws: MAMError(.tampered, "")) { try state.publish { (_) throws(MAMError) in } }
        }
        #expect(throws: MAMError(.tampered, "")) { try place.open() }
    }

    @Test func anotherProgramsDatabaseIsLeftAsItIs() throws {
        let place = try TemporaryState()
        try place.open().close()
        let others = "DROP TABLE facts; PRAGMA application_id = 0; PRAGMA user_version = 0"
        try place.tamper(others)
        #expect(throws: MAMError(.storage, "")) { try place.open() }
    }

    @Test("an account that is given to another app opens for neither")
    func movedToAnotherApp() throws {
        let place = try TemporaryState()
        let state = try place.open()
        let other = try place.open(app: "com.example.other")
        defer {
            state.close()
            other.close()
        }
        let id = try state.publish { (view) throws(MAMError) in try view.accounts.add(record("ann@contoso.example")).id
        }
        try place.tamper("UPDATE accounts SET app = 'com.example.other'")
        for session in [state, other] {
            let entries = try session.read { (view, _) throws(MAMError) in try view.accounts.all() }
            guard entries.count == 1, case .closed(id, _, let error)? = entries.first else {
                Issue.record("\(entries)")
                continue
            }
            #expect(error.code == .tampered)
        }
    }

    @Test(
        "accounts deleted with the list of them are missed",
        arguments: [
            "DELETE FROM meta WHERE name LIKE 'roster%'", "UPDATE meta SET value = x'00' WHERE name LIKE 'roster%'",
        ])
    func roster(_ edit: String) throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        try state.publish { (view) throws(MAMError) in _ = try view.accounts.add(record("ann@contoso.example")) }
        try place.tamper("DELETE FROM accounts; " + edit)
        #expect(throws: MAMError(.tampered, "")) {
            try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        }
    }

    @Test("the share of an enrollment that was killed goes at the next open; every other one stays")
    func orphans() throws {
        let place = try TemporaryState()
        var state = try place.open()
        let ids = try state.publish { (view) throws(MAMError) in
            let wiped = try view.accounts.add(record("bob@contoso.example"))
            let tombstone = Tombstone(reason: "host", wipe: nil)
            _ = try view.journal.promise(
                WipeEntry(unwritten: wiped.id, app: "a", tag: AccountTag(wiped.record), tombstone: tombstone))
            try view.accounts.remove(wiped.id)
            let missing = try view.accounts.add(record("cyd@contoso.example")).id
            return [wiped.id.hex, try view.accounts.add(record("ann@contoso.example")).id.hex, missing.hex]
        }
        state.close()
        try place.tamper("DELETE FROM accounts WHERE id = x'\(ids[2])'")
        let shares = place.group + "/shares/"
        let orphan = shares + String(repeating: "0", count: 32)
        #expect(FileManager.default.createFile(atPath: orphan, contents: Data(count: 32)))
        state = try place.open()
        state.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: shares).sorted() == ids.sorted())
    }

    @Test(
        "an open state whose directory or files were removed, renamed or replaced is not gone on with",
        arguments: ["", "/state.db", "/root.key", "/shares"])
    func replaced(_ name: String) throws {
        let place = try TemporaryState()
        let state = try place.open()
        defer { state.close() }
        try state.checkPlace()
        let path = place.group + name
        try FileManager.default.moveItem(atPath: path, toPath: place.root + "/away")
        #expect(throws: MAMError(.tampered, "")) { try state.checkPlace() }
        try FileManager.default.copyItem(atPath: place.root + "/away", toPath: path)
        #expect(throws: MAMError(.tampered, "")) { try state.checkPlace() }
    }
}
