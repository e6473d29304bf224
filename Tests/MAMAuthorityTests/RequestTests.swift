import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("requests")
struct RequestTests {
    struct Bad: CustomTestStringConvertible, Sendable {
        let request: String
        let code: MAMError.Code
        let names: String
        var testDescription: String { request }
    }

    static let bad: [Bad] = [
        .init(request: "[]", code: .json, names: "array"),
        .init(request: "{}", code: .json, names: "action"),
        .init(request: #"{"action":7}"#, code: .json, names: "action"),
        .init(request: #"{"action":"user.fly"}"#, code: .argument, names: "user.fly"),
        .init(request: #"{"action":"user.add"}"#, code: .json, names: "upn"),
        .init(request: #"{"action":"user.add","upn":7}"#, code: .json, names: "upn"),
        .init(request: #"{"action":"user.add","upn":null}"#, code: .json, names: "upn"),
        .init(request: #"{"action":"user.add","upn":"x","colour":1}"#, code: .json, names: "colour"),
        .init(request: #"{"action":"user.add","upn":""}"#, code: .argument, names: "upn"),
        .init(request: #"{"action":"user.add","upn":"a\nb"}"#, code: .argument, names: "upn"),
        .init(request: #"{"action":"user.add","upn":" a"}"#, code: .argument, names: "upn"),
        .init(
            request: #"{"action":"user.add","upn":"x","displayName":"a\u0007"}"#, code: .argument, names: "displayName"),
        .init(request: #"{"action":"user.add","upn":"x","enabled":"yes"}"#, code: .json, names: "enabled"),
        .init(request: #"{"action":"user.add","upn":"x","tenantId":[]}"#, code: .json, names: "tenantId"),
        .init(request: #"{"action":"user.list","user":"x"}"#, code: .json, names: "user"),
        .init(request: #"{"action":"user.show","user":"nobody"}"#, code: .notFound, names: "nobody"),
        .init(request: #"{"action":"group.show","group":"nobody"}"#, code: .notFound, names: "nobody"),
        .init(request: #"{"action":"group.add","name":"x","id":{}}"#, code: .json, names: "id"),
        .init(request: #"{"action":"policy.show","policy":"nobody"}"#, code: .notFound, names: "nobody"),
        .init(request: #"{"action":"policy.export"}"#, code: .argument, names: "policy or import"),
        .init(request: #"{"action":"policy.export","policy":"a","import":"b"}"#, code: .argument, names: "not both"),
        .init(request: #"{"action":"policy.export","import":"nobody"}"#, code: .notFound, names: "nobody"),
        .init(request: #"{"action":"policy.import","document":"x"}"#, code: .json, names: "document"),
        .init(request: #"{"action":"policy.import","document":[]}"#, code: .json, names: "no policy"),
        .init(request: #"{"action":"policy.import","document":{"value":7}}"#, code: .json, names: "number"),
        .init(
            request: #"{"action":"policy.import","type":"ios","document":[{"id":7}]}"#, code: .json, names: "policy 1"),
        .init(
            request: #"{"action":"policy.import","type":"ios","document":[{"id":"a\tb"}]}"#, code: .argument,
            names: "policy 1"),
        .init(request: #"{"action":"policy.import","document":{"hello":"world"}}"#, code: .argument, names: "--type"),
        .init(request: #"{"action":"policy.import","type":"mars","document":{}}"#, code: .argument, names: "linux"),
        .init(request: #"{"action":"config.import","type":"ios","document":{}}"#, code: .argument, names: "config"),
        .init(
            request: #"{"action":"config.import","document":{"customSettings":[]}}"#, code: .argument, names: "--type"),
        .init(request: #"{"action":"policy.assign","policy":"strict"}"#, code: .argument, names: "group or allUsers"),
        .init(
            request: #"{"action":"policy.assign","policy":"strict","allUsers":false}"#, code: .argument,
            names: "allUsers"),
        .init(
            request: #"{"action":"policy.assign","policy":"strict","allUsers":true,"exclude":true}"#, code: .argument,
            names: "exclude"),
        .init(
            request: #"{"action":"policy.assign","policy":"strict","group":"nobody"}"#, code: .notFound, names: "nobody"
        ),
        .init(
            request: #"{"action":"policy.unassign","policy":"strict","group":"nobody"}"#, code: .notFound,
            names: "nobody"),
        .init(request: #"{"action":"policy.target","policy":"strict","app":"-x"}"#, code: .argument, names: "app"),
        .init(request: #"{"action":"registration.remove","registration":"none"}"#, code: .notFound, names: "none"),
        .init(request: #"{"action":"wipe.request","user":"ann-id","app":"a b"}"#, code: .argument, names: "app"),
        .init(request: #"{"action":"wipe.cancel","wipe":0}"#, code: .argument, names: "wipe"),
        .init(request: #"{"action":"wipe.cancel","wipe":1.5}"#, code: .argument, names: "wipe"),
        .init(request: #"{"action":"wipe.cancel","wipe":9}"#, code: .notFound, names: "9"),
        .init(request: #"{"action":"device.block","deviceTag":""}"#, code: .argument, names: "deviceTag"),
        .init(request: #"{"action":"device.block","deviceTag":"none"}"#, code: .notFound, names: "none"),
        .init(request: #"{"action":"device.unblock","deviceTag":"none"}"#, code: .notFound, names: "none"),
        .init(
            request: #"{"action":"policy.untarget","policy":"strict","app":"nots"}"#, code: .notFound,
            names: "did you mean \"notes\"?"),
        .init(
            request: #"{"action":"user.show","user":"anne@contoso.example"}"#, code: .notFound,
            names: "did you mean \"ann@contoso.example\"?"),
        .init(
            request: #"{"action":"policy.show","policy":"open"}"#, code: .notFound,
            names: "there is \"STRICT\", \"strict\""),
        .init(request: #"{"action":"fault.set","fault":"rain"}"#, code: .argument, names: "rain"),
        .init(
            request: #"{"action":"fault.set","fault":"gone","operation":"reportWipe"}"#, code: .argument,
            names: "reportWipe"),
        .init(request: #"{"action":"fault.set","fault":"gone","count":0}"#, code: .argument, names: "count"),
        .init(
            request: #"{"action":"authority.set","checkInInterval":"PT59S"}"#, code: .argument, names: "checkInInterval"
        ),
        .init(
            request: #"{"action":"authority.set","checkInInterval":"P2D"}"#, code: .argument, names: "checkInInterval"),
        .init(request: #"{"action":"authority.set","checkInInterval":15}"#, code: .json, names: "checkInInterval"),
        .init(request: #"{"action":"authority.create"}"#, code: .already, names: "authority.db"),
        .init(
            request: #"{"action":"user.set","user":"ann-id","accessTokenFile":"/nowhere/token"}"#, code: .notFound,
            names: "/nowhere/token"),
    ]

    @Test("an invalid request is refused by name and changes nothing", arguments: bad)
    func refused(_ bad: Bad) throws {
        let fixture = try AuthorityFixture()
        let before = try fixture.perform("authority.show")
        let error = try #require(throws: MAMError.self) {
            try Administration.perform(
                path: fixture.path, request: JSON(parsing: bad.request), now: AuthorityFixture.time)
        }
        #expect(error.code == bad.code)
        #expect(error.message.contains(bad.names))
        #expect(try fixture.perform("authority.show") == before)
    }

    @Test("names in messages are shortened to one line")
    func messages() throws {
        let fixture = try AuthorityFixture(empty: true)
        let name = String(repeating: "x\n", count: 100_000)
        let error = try #require(throws: MAMError.self) { try fixture.perform(name) }
        #expect(error.message.utf8.count < 300)
        #expect(!error.message.contains("\n"))
        let key = try #require(throws: MAMError.self) {
            try Administration.perform(
                path: fixture.path, request: .object([("action", "user.list"), (key: name, value: JSON.integer(1))]),
                now: AuthorityFixture.time)
        }
        #expect(key.message.utf8.count < 300)
        #expect(!key.message.contains("\n"))
    }

    @Test("docs/authority.md lists all actions and their keys")
    func documentation() throws {
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/authority.md").standardized
        let known = Set(ActionTable.all.flatMap { $0.keys.map(\.name) })
        var documented: [String: Set<String>] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.replacing("\\|", with: "/").split(separator: "|")
            // Keys are in backticks, alone or as `"key":true`; values follow after a colon.
            let keys = quoted(cells[1]).map { String($0.prefix { $0 != ":" }.filter { $0 != "\"" }) }
            for action in quoted(cells[0]) { documented[action] = Set(keys).intersection(known) }
        }
        #expect(Set(documented.keys) == Set(ActionTable.all.map(\.name)))
        #expect(ActionTable.all.count == documented.count)
        for action in ActionTable.all {
            #expect(documented[action.name] == Set(action.keys.map(\.name)), "\(action.name)")
        }
    }

    /// The texts in backticks.
    private func quoted(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    @Test("names at their limits")
    func limits() throws {
        let fixture = try AuthorityFixture(empty: true)
        let longest = String(repeating: "a", count: 256)
        try fixture.perform("user.add", ["upn": .string(longest)])
        #expect(try fixture.refusal("user.add", ["upn": .string(longest + "a")])?.code == .argument)
        #expect(
            try fixture.refusal("user.add", ["upn": "b", "displayName": .string(longest + "a")])?.code == .argument)
    }
}
