import MAMSupport
import Testing

@testable import MAMState

@Suite("registry of managed apps")
struct ManagedAppStoreTests {
    /// The entries of all apps; "-" for one that does not verify.
    static func entries(_ state: State) throws -> [String] {
        try state.read { (view, _) throws(MAMError) in
            try view.apps.all().map { app, value in "\(app) \((try? value.get().text) ?? "-")" }
        }
    }

    @Test("an app enters itself, others read it, and it leaves")
    func entering() throws {
        let temporary = try TemporaryState()
        let (mail, notes) = (try temporary.open(app: "mail"), try temporary.open(app: "notes"))
        defer {
            mail.close()
            notes.close()
        }
        #expect(try Self.entries(notes).isEmpty)
        try mail.write { (view) throws(MAMError) in try view.apps.enter(1) }
        try notes.write { (view) throws(MAMError) in
            #expect(view.apps.own() == nil)
            try view.apps.enter(2)
            try view.apps.enter(3)
        }
        #expect(try Self.entries(mail) == ["mail 1", "notes 3"])
        try mail.write { (view) throws(MAMError) in try view.apps.leave(AccountRowID.make()) }
        #expect(try Self.entries(mail) == ["notes 3"])
    }

    @Test(
        "a row that was edited, moved or made up does not verify, and a check-in mends one's own",
        arguments: [
            "UPDATE facts SET value = zeroblob(90)", "UPDATE facts SET value = ''", "UPDATE facts SET app = 'notes'",
            "UPDATE facts SET value = substr(value, 2)", "UPDATE facts SET value = value || x'00'",
            "UPDATE facts SET value = randomblob(1000000)", "UPDATE facts SET app = 'mail' || x'00'",
        ])
    func tampered(_ edit: String) throws {
        let temporary = try TemporaryState()
        let state = try temporary.open(app: "mail")
        defer { state.close() }
        try state.write { (view) throws(MAMError) in try view.apps.enter(["a": 1]) }
        try temporary.tamper(edit)
        #expect(try Self.entries(state).allSatisfy { $0.hasSuffix(" -") })
        try state.write { (view) throws(MAMError) in
            #expect(view.apps.own() == nil)
            try view.apps.enter(["a": 2])
        }
        #expect(try Self.entries(state).contains(#"mail {"a":2}"#))
    }

    @Test("no byte of an entry is ignored")
    func bytes() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open(app: "mail")
        defer { state.close() }
        for byte in 1...60 {
            try state.write { (view) throws(MAMError) in try view.apps.enter(["a": 1]) }
            // Replace the byte's first digit.
            let digits = "hex(substr(value, \(byte), 1))"
            let bent = "CASE WHEN \(digits) LIKE '5%' THEN x'6a' ELSE x'5a' END"
            try temporary.tamper(
                "UPDATE facts SET value = CAST(substr(value, 1, \(byte - 1)) || \(bent) || substr(value, \(byte + 1)) AS BLOB)"
            )
            #expect(try Self.entries(state) == ["mail -"], "byte \(byte)")
        }
    }

    @Test("a state with too many rows is read up to the limit")
    func many() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open(app: "mail")
        defer { state.close() }
        try temporary.tamper(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5000) "
                + "INSERT INTO facts SELECT 'app' || x, 'managedApp', x'00' FROM n")
        #expect(try Self.entries(state).count == 1000)
    }
}
