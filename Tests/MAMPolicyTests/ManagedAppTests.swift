import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("managed apps")
struct ManagedAppTests {
    static func program(_ path: String, _ inode: Int64) -> Executable {
        Executable(path: path, inode: inode, size: 1, changed: 1)
    }

    static func account(_ row: String) -> ManagedApp.Account {
        ManagedApp.Account(row: row, accountId: row, upn: nil, tenantId: "t")
    }

    @Test("an entry survives JSON, and invalid JSON is rejected")
    func json() throws {
        let entry = ManagedApp().with(Self.account("a"), by: Self.program("/a", 1))
        #expect(ManagedApp(json: entry.json) == entry)
        for text in ["{}", "[]", "null", #"{"executables":1,"accounts":[]}"#] {
            #expect(ManagedApp(json: try JSON(parsing: text)) == nil)
        }
        #expect(ManagedApp(json: try JSON(parsing: #"{"executables":[{},7],"accounts":[{},7]}"#))?.executables == [])
    }

    @Test("accounts are added and removed; without any there is no entry")
    func accounts() {
        let one = ManagedApp().with(Self.account("a"), by: nil)
        let two = one.with(Self.account("b"), by: nil)
        #expect(two.accounts.map(\.row) == ["a", "b"] && two.with(Self.account("a"), by: nil) == two)
        #expect(two.without(account: "b") == one && one.without(account: "a") == nil)
        #expect(two.without(account: "c") == two)
    }

    @Test("a new program replaces the old one; an app has several, up to a limit")
    func programs() {
        var entry = ManagedApp().with(Self.account("a"), by: Self.program("/a", 1))
        #expect(entry.with(Self.account("a"), by: Self.program("/a", 1)) == entry)
        #expect(entry.with(Self.account("a"), by: Self.program("/a", 2)).executables.map(\.inode) == [2])
        for number in 2...20 { entry = entry.with(Self.account("a"), by: Self.program("/\(number)", Int64(number))) }
        #expect(entry.executables.count == 8 && entry.executables.first?.path == "/20")
    }

    @Test(
        "interpreters are recognised",
        arguments: [
            ("/usr/bin/python3.12", true), ("/usr/bin/sh", true), ("/usr/bin/bash", true), ("/opt/node", true),
            ("/usr/bin/perl5.38.2", true), ("/usr/local/bin/mamctl", true), ("/lib64/ld-linux-x86-64.so.2", true),
            ("/usr/bin/shotwell", false), ("/usr/bin/pythonista", false), ("/usr/bin/nodes", false),
            ("/usr/bin/mail", false),
        ])
    func interpreters(_ path: String, _ runsOthers: Bool) {
        #expect(Self.program(path, 1).runsOthers == runsOthers)
    }

    @Test("a file is the same under any path, and another one after a change")
    func sameFile() {
        let file = Executable(path: "/a", inode: 1, size: 2, changed: 3)
        #expect(file.isSameFile(as: Executable(path: "/b", inode: 1, size: 2, changed: 3)))
        for other in [(9, 2, 3), (1, 9, 3), (1, 2, 9)] as [(Int64, Int64, Int64)] {
            #expect(!file.isSameFile(as: Executable(path: "/a", inode: other.0, size: other.1, changed: other.2)))
        }
    }

    @Test("lookup by id and program, but never by an interpreter")
    func find() throws {
        let python = Self.program("/usr/bin/python3", 5)
        let register = RegisteredApps([
            ShareTargetTests.app("mail", [("ann", "t")]),
            ShareTargetTests.app("script", [("ann", "t")], program: python),
        ])
        func find(_ text: String, _ program: Executable?) throws -> JSON {
            RegisteredApps.json(register.find(try AppQuery(program: JSON(parsing: text))) { _ in program })
        }
        #expect(try find(#"{"appId":"script"}"#, nil)["managed"] == true)
        #expect(try find(#"{"pid":7}"#, ShareTargetTests.mail)["apps"] == ["mail"])
        #expect(try find(#"{"pid":7}"#, python)["problem"]?.string?.contains("any other") == true)
        let link = Self.program("/opt/link", 5)
        #expect(try find(#"{"executable":"/opt/link"}"#, link)["problem"]?.string?.contains("any other") == true)
        #expect(try find(#"{"pid":7}"#, nil)["managed"] == false)
        #expect(try find(#"{"executable":"/x"}"#, Self.program("/x", 9))["managed"] == false)
        for wrong in [
            #"{"pid":0}"#, #"{"pid":-1}"#, #"{"pid":4294967297}"#, "{}", #"{"scheme":"x"}"#, #"{"appId":"a","pid":1}"#,
        ] {
            #expect(throws: MAMError.self, "\(wrong)") { try find(wrong, nil) }
        }
    }
}
