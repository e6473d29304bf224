import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMState

/// Changes to the database by a program with this user's permissions.
@Suite("states that were changed outside")
struct TamperTests {
    @Test(
        "without the row of the counter reading, committing and opening fail",
        arguments: [
            "DELETE FROM meta WHERE name = 'standing'", "UPDATE meta SET value = 'abc' WHERE name = 'standing'",
            "UPDATE meta SET value = zeroblob(200) WHERE name = 'standing'",
            "UPDATE meta SET value = (SELECT value FROM meta WHERE name = 'roster') WHERE name = 'standing'",
        ])
    func counterRecord(_ edit: String) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try temporary.tamper(edit)
        #expect(throws: MAMError(.tampered, "")) { try state.read { (_, _) throws(MAMError) in } }
        #expect(throws: MAMError(.tampered, "")) { try state.commitForAll { (_) throws(MAMError) in } }
        #expect(throws: MAMError(.tampered, "")) { try temporary.open() }
    }

    /// Restore the row from before a commit.
    private func takeBack(_ temporary: TemporaryState, _ commit: () throws -> Void) throws {
        let database = try Database(path: temporary.database, mode: .readWrite)
        let former = try database.first("SELECT value FROM meta WHERE name = 'standing'") { $0.blob(0) } ?? []
        try commit()
        try database.run("UPDATE meta SET value = ? WHERE name = 'standing'", .blob(former))
    }

    @Test("a row put back makes the state older, for whoever has it open and for whoever opens it, until a check-in")
    func rowPutBack() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let id = try state.commitForAll(mayAddAccount: true) { (view) throws(MAMError) in
            try view.accounts.add(record("ann@contoso.example")).id
        }
        let held = try state.read { (_, generation) throws(MAMError) in generation }
        try takeBack(temporary) { try state.commitForAll { (_) throws(MAMError) in } }
        #expect(try state.read { (view, _) throws(MAMError) in view.rollbackError(of: id)?.code } == .tampered)
        #expect(!state.isCurrent(held) && state.isRolledBack)
        let other = try temporary.open()
        defer { other.close() }
        #expect(other.isRolledBack)
        // Commits alone never end a rollback.
        for _ in 0..<5 { try other.commitForAll { (_) throws(MAMError) in } }
        #expect(other.isRolledBack)
        let tag = other.reported.deviceTag
        #expect(try other.commitForAll { (view) throws(MAMError) in try view.confirm(id, above: 1000) })
        #expect(!other.isRolledBack && other.reported.deviceTag != tag && other.reported.counter > 1000)
        #expect(try state.read { (view, _) throws(MAMError) in view.rollbackError(of: id) } == nil)
        #expect(!state.isRolledBack)
    }

    @Test("a missing counted row is found, a missing uncounted row is not")
    func counted() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try takeBack(temporary) { try state.write { (_) throws(MAMError) in } }
        try state.read { (_, _) throws(MAMError) in }
        #expect(!state.isRolledBack)
        try takeBack(temporary) { try state.write(isRollbackProtected: true) { (_) throws(MAMError) in } }
        try state.read { (_, _) throws(MAMError) in }
        #expect(state.isRolledBack)
    }

    @Test("a copy of the counter that is missing, torn or of another state closes no account", arguments: [0, 40, 80])
    func tornCopy(_ count: Int) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        try state.commitForAll { (_) throws(MAMError) in }
        state.close()
        let path = temporary.group + "/counter"
        #expect(FileManager.default.contents(atPath: path)?.count == 80)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(count: count)))
        let again = try temporary.open()
        defer { again.close() }
        #expect(!again.isRolledBack)
        try again.commitForAll { (_) throws(MAMError) in }
        #expect(!again.isRolledBack)
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
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.read { (_, _) throws(MAMError) in }
        try temporary.tamper(edit)
        if !edit.hasPrefix("PRAGMA") {
            #expect(throws: MAMError(.tampered, "")) { try state.read { (_, _) throws(MAMError) in } }
            #expect(throws: MAMError(.tampered, "")) { try state.commitForAll { (_) throws(MAMError) in } }
        }
        #expect(throws: MAMError(.tampered, "")) { try temporary.open() }
    }

    @Test func anotherProgramsDatabaseIsLeftAsItIs() throws {
        let temporary = try TemporaryState()
        try temporary.open().close()
        let others = "DROP TABLE facts; PRAGMA application_id = 0; PRAGMA user_version = 0"
        try temporary.tamper(others)
        #expect(throws: MAMError(.storage, "")) { try temporary.open() }
    }

    @Test("an account that is given to another app opens for neither")
    func movedToAnotherApp() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        let other = try temporary.open(app: "com.example.other")
        defer {
            state.close()
            other.close()
        }
        let id = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.add(record("ann@contoso.example")).id
        }
        try temporary.tamper("UPDATE accounts SET app = 'com.example.other'")
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
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.commitForAll { (view) throws(MAMError) in _ = try view.accounts.add(record("ann@contoso.example")) }
        try temporary.tamper("DELETE FROM accounts; " + edit)
        #expect(throws: MAMError(.tampered, "")) {
            try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        }
    }

    @Test("an unfinished share is removed at the next open; a share of no account stays and is reported")
    func orphaned() throws {
        let temporary = try TemporaryState()
        var state = try temporary.open()
        let ids = try state.commitForAll { (view) throws(MAMError) in
            let wiped = try view.accounts.add(record("bob@contoso.example"))
            let tombstone = Tombstone(reason: .host, wipe: nil)
            try state.destroyKey(wiped.id, tombstone)
            _ = try view.journal.add(
                WipeEntry(notInJournal: wiped.id, app: "a", tag: AccountTag(wiped.record), tombstone: tombstone))
            try view.accounts.remove(wiped.id)
            let missing = try view.accounts.add(record("cyd@contoso.example")).id
            return [wiped.id.hex, try view.accounts.add(record("ann@contoso.example")).id.hex, missing.hex]
        }
        // A failed commit removes the share at once.
        #expect(throws: MAMError(.io, "")) {
            try state.commitForAll(mayAddAccount: true) { (view) throws(MAMError) in
                _ = try view.accounts.add(record("dan@contoso.example"))
                throw MAMError(.io, "")
            }
        }
        state.close()
        try temporary.tamper("DELETE FROM accounts WHERE id = x'\(ids[2])'")
        let shares = temporary.group + "/shares/"
        let stranger = String(repeating: "0", count: 32)
        #expect(FileManager.default.createFile(atPath: shares + stranger, contents: Data(count: 32)))
        state = try temporary.open()
        #expect(state.orphanedShares.count == 1 && state.orphanedShares.first == [stranger])
        state.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: shares).sorted() == (ids + [stranger]).sorted())
    }

    @Test(
        "an open state fails when its directory or files were removed, renamed or replaced",
        arguments: ["", "/state.db", "/root.key", "/shares"])
    func replaced(_ name: String) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try state.checkUnreplaced()
        let path = temporary.group + name
        try FileManager.default.moveItem(atPath: path, toPath: temporary.root + "/away")
        #expect(throws: MAMError(.tampered, "")) { try state.checkUnreplaced() }
        try FileManager.default.copyItem(atPath: temporary.root + "/away", toPath: path)
        #expect(throws: MAMError(.tampered, "")) { try state.checkUnreplaced() }
    }
}
