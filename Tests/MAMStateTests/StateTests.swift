import CFiles
import CProcess
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMState

@Suite("State")
struct StateTests {
    @Test func accountsComeBackAfterAReopen() throws {
        let temporary = try TemporaryState()
        var state = try temporary.open()
        let id = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.add(record("ann@contoso.example")).id
        }
        state.close()
        state = try temporary.open()
        defer { state.close() }
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .open(let row)? = entries.first else {
            Issue.record("the account does not open")
            return
        }
        #expect(row.id == id)
        #expect(row.record.upn == "ann@contoso.example")
    }

    @Test func anAppDoesNotSeeAnothersAccounts() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        let other = try temporary.open(app: "com.example.other")
        defer {
            state.close()
            other.close()
        }
        try state.commitForAll { (view) throws(MAMError) in _ = try view.accounts.add(record("ann@contoso.example")) }
        #expect(try other.read { (view, _) throws(MAMError) in try view.accounts.all().count } == 0)
    }

    @Test("a commit of one state is seen by the other, and nothing of a failed one")
    func generations() throws {
        let temporary = try TemporaryState()
        let one = try temporary.open()
        let two = try temporary.open()
        defer {
            one.close()
            two.close()
        }
        let before = try two.read { (_, generation) throws(MAMError) in generation }
        #expect(two.isCurrent(before))
        try one.commitForAll { (view) throws(MAMError) in try view.overrides.set("MultiIdentity", to: true) }
        #expect(!two.isCurrent(before))
        #expect(throws: MAMError(.canceled, "")) {
            try one.commitForAll { (view) throws(MAMError) in
                try view.overrides.set("MultiIdentity", to: nil)
                throw MAMError(.canceled, "")
            }
        }
        let (names, after) = try two.read { (view, generation) throws(MAMError) in
            (try view.overrides.all().map(\.name), generation)
        }
        #expect(names == ["MultiIdentity"])
        #expect(two.isCurrent(after))
    }

    @Test("an odd generation word of a killed process makes every process reload")
    func oddWord() throws {
        let temporary = try TemporaryState()
        var state = try temporary.open()
        func latest() throws -> UInt64 { try state.read { (_, generation) throws(MAMError) in generation } }
        let before = try latest()
        shared_generation_word_set(state.words, before + 1)
        try state.repairGeneration()
        #expect(!state.isCurrent(before))
        #expect(state.isCurrent(try latest()))
        shared_generation_word_set(state.words, try latest() + 1)
        state.close()
        state = try temporary.open()
        defer { state.close() }
        #expect(state.isCurrent(try latest()))
    }

    @Test("rows cannot be edited, moved or exchanged")
    func tampering() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let ids = try state.commitForAll { (view) throws(MAMError) in
            [
                try view.accounts.add(record("ann@contoso.example")).id,
                try view.accounts.add(record("bob@contoso.example")).id,
            ]
        }
        try temporary.tamper(
            "UPDATE accounts SET record = (SELECT record FROM accounts ORDER BY number DESC LIMIT 1) WHERE number = 1")
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .closed(let id, let tag, let error)? = entries.first, case .open? = entries.last else {
            Issue.record("\(entries)")
            return
        }
        #expect(id == ids[0])
        #expect(tag?.upn == "ann@contoso.example", "whose it is stays known, so that its name stays refused")
        #expect(error.code == .tampered)
    }

    @Test("without its share an account does not open, and its rows stay")
    func shares() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let id = try state.commitForAll { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            try view.keys.makeFirst(for: row)
            return row.id
        }
        try state.removeShare(id)
        try state.removeShare(id)
        let entries = try state.read { (view, _) throws(MAMError) in try view.accounts.all() }
        guard case .closed(_, _, let error)? = entries.first else {
            Issue.record("the account opens without its share")
            return
        }
        #expect(error.code == .keyUnavailable)
    }

    @Test func aNewerSchemaIsRefusedAndLeftAlone() throws {
        let temporary = try TemporaryState()
        try temporary.open().close()
        try temporary.tamper("PRAGMA user_version = 99")
        #expect(throws: MAMError(.version, "")) { try temporary.open() }
        let database = try Database(path: temporary.database, mode: .readOnly)
        #expect(try database.first("PRAGMA user_version") { $0.integer(0) } == 99)
    }

    @Test func withoutTheRootKeyNothingOpensAndNothingIsMade() throws {
        let temporary = try TemporaryState()
        try temporary.open().close()
        var directory: Int32 = -1
        _ = files_open_directory(temporary.group, &directory)
        defer { files_close(directory) }
        #expect(files_shred_at(directory, "root.key") == 0)
        #expect(throws: MAMError(.keyUnavailable, "")) { try temporary.open() }
        var facts = files_stat_t()
        #expect(Int(files_fstatat(directory, "root.key", &facts)) == FILES_ENOENT)
    }

    @Test("a relative path, a file in the way and a group that is a path are refused")
    func directories() {
        #expect(throws: MAMError(.argument, "")) { try StateDirectory(path: "relative", group: "g") }
        #expect(throws: MAMError.self) { try StateDirectory(path: "/proc/version", group: "g") }
        #expect(throws: MAMError.self) { try StateDirectory(path: "/proc", group: "g") }
    }

    @Test("an account in a state that this release does not know does not open")
    func unknownState() throws {
        #expect(try AccountRecord(json: [:]).state == .registered)
        #expect(throws: MAMError(.tampered, "")) { try AccountRecord(json: ["state": "suspended"]) }
    }

    @Test("a wipe whose journal row was changed starts again from its first step")
    func journal() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        let account = try state.commitForAll { (view) throws(MAMError) in
            let row = try view.accounts.add(record("ann@contoso.example"))
            let tag = AccountTag(row.record)
            let tombstone = Tombstone(reason: .host, wipe: nil)
            try state.destroyKey(row.id, tombstone)
            var entry = try view.journal.add(
                WipeEntry(notInJournal: row.id, app: TemporaryState.app, tag: tag, tombstone: tombstone))
            entry.step = .asked
            entry.hostRemovedData = true
            try view.journal.update(entry)
            return row.id
        }
        let whole = try state.read { (view, _) throws(MAMError) in try view.journal.all() }
        #expect(whole.first?.step == .asked)
        #expect(whole.first?.hostRemovedData == true)
        try temporary.tamper("UPDATE journal SET record = zeroblob(100)")
        let changed = try state.read { (view, _) throws(MAMError) in try view.journal.all() }
        #expect(changed.first?.step == .promised)
        #expect(changed.first?.account == account)
    }

    @Test func theLeaseIsOneProcesssAtATime() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        var lease = try state.lease(.wipe)
        #expect(lease != nil)
        #expect(try state.lease(.wipe) == nil)
        lease = nil
        #expect(try state.lease(.wipe) != nil)
    }
}
