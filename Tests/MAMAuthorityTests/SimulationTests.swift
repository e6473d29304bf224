import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("simulate")
struct SimulationTests {
    private func simulate(_ fixture: AuthorityFixture, _ request: JSON) throws -> JSON {
        try PolicySimulation.make(
            path: fixture.path, request: request, now: AuthorityFixture.time, libraryVersion: "0.1.0")
    }

    private func strict(_ id: String = "new") -> JSON {
        [
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": .string(id), "displayName": "New",
            "printBlocked": true,
        ]
    }

    @Test("equal changes are reported together, and the file is unchanged")
    func together() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.add", ["upn": "bob@contoso.example"])
        let untouched = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let told = try simulate(fixture, ["changes": [["action": "policy.import", "document": strict("strict")]]])
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == untouched)
        #expect(told["verdict"] == "stricter")
        let change = try #require(told["changes"]?.array?.first)
        #expect(told["changes"]?.array?.count == 1)
        #expect(change["accounts"]?.array?.count == 2)
        #expect(change["settings"]?.array?.compactMap(\.["setting"]?.string) == ["printBlocked"])
        let decision = try #require(change["decisions"]?.array?.first)
        #expect(decision["request"] == ["action": "print"])
        #expect(decision["before"] == ["allowed": true])
        #expect(decision["after"]?["reason"]?["policyId"] == "strict")
        #expect(told["counts"]?["decisions"] == ["stricter": 2, "looser": 0, "reason": 0])
    }

    @Test(
        "warnings are those of the end, of policies that target an app that is looked at, or none",
        arguments: [
            (["notes"], ["printBlock", "appGroupType", "printBlock"]), (["mail"], ["printBlock", "appGroupType"]),
            (nil, ["printBlock", "appGroupType", "printBlock"]),
        ] as [([String]?, [String])])
    func warnings(_ apps: [String]?, _ expected: [String]) throws {
        let fixture = try AuthorityFixture()
        func odd(_ id: String) -> JSON {
            [
                "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": .string(id), "printBlock": true,
                "appGroupType": "selectedPublicApps", "apps": [],
            ]
        }
        let changes: JSON = [
            ["action": "policy.import", "document": [odd("nowhere"), odd("here"), odd("gone")]],
            ["action": "policy.target", "policy": "here", "app": "notes"],
            ["action": "policy.remove", "policy": "gone"],
        ]
        let limit = apps.map { [("apps", JSON.strings($0))] } ?? []
        let told = try simulate(fixture, .object([("changes", changes)] + limit))
        #expect(told["warnings"]?.array?.compactMap { $0["setting"]?.string } == expected)
    }

    @Test("accounts that gain or lose a policy are reported as such")
    func gainsAndLosses() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.add", ["upn": "bob@contoso.example"])
        let told = try simulate(
            fixture,
            [
                "changes": [
                    ["action": "group.add", "name": "Sales"],
                    ["action": "group.addMember", "group": "Sales", "user": "ann-id"],
                    ["action": "policy.import", "document": strict()],
                    ["action": "policy.target", "policy": "new", "app": "mail"],
                    ["action": "policy.assign", "policy": "new", "group": "Sales"],
                    ["action": "policy.remove", "policy": "strict"],
                ]
            ])
        let effects = (told["changes"]?.array ?? []).map { change in
            let seats = (change["accounts"]?.array ?? []).map {
                "\($0["upn"]?.string ?? "") \($0["app"]?.string ?? "")"
            }
            return "\(change["effect"]?.string ?? ""): \(seats.joined(separator: ", "))"
        }
        #expect(
            effects == [
                "loses: ann@contoso.example notes, bob@contoso.example notes", "gains: ann@contoso.example mail",
            ])
    }

    @Test("an app keeps its policy where check-ins are refused")
    func refused() throws {
        let fixture = try AuthorityFixture()
        let told = try simulate(fixture, ["changes": [["action": "user.set", "user": "ann-id", "licensed": false]]])
        let change = try #require(told["changes"]?.array?.first)
        #expect(change["effect"] == "refused")
        #expect(change["after"]?["name"] == "accountNotLicensed")
        #expect(change["settings"] == [] && change["decisions"] == [])
    }

    @Test("unchanged accounts are not reported")
    func nothing() throws {
        let fixture = try AuthorityFixture()
        #expect(try simulate(fixture, ["changes": []])["changes"] == [])
        let renamed = try simulate(
            fixture, ["changes": [["action": "user.set", "user": "ann-id", "displayName": "A"]]])
        #expect(renamed["verdict"] == "same" && renamed["changes"] == [])
    }

    @Test(
        "errors name the list and the index",
        arguments: [
            (#"{"changes":[{"action":"policy.list"}]}"#, "changes", 0, MAMError.Code.argument),
            (
                #"{"changes":[{"action":"group.add","name":"X"},{"action":"wipe.request","user":"ann-id"}]}"#,
                "changes", 1, .argument
            ),
            (
                #"{"changes":[{"action":"group.add","name":"X"},{"action":"group.add","name":"x"}]}"#, "changes", 1,
                .already
            ),
            (#"{"changes":[{"action":"policy.assign","policy":"none","allUsers":true}]}"#, "changes", 0, .notFound),
            (#"{"changes":[{"action":"policy.import","document":1}]}"#, "changes", 0, .json),
            (#"{"changes":[],"users":["ann-id","eve"]}"#, "users", 1, .notFound),
            (#"{"changes":[],"requests":[{"action":"fly"}]}"#, "requests", 0, .argument),
            (
                #"{"changes":[],"requests":[{"action":"print"},{"action":"print","account":"ann-id"}]}"#, "requests", 1,
                .json
            ),
        ])
    func mistakes(_ request: String, _ list: String, _ index: Int64, _ code: MAMError.Code) throws {
        let fixture = try AuthorityFixture()
        let error = #expect(throws: MAMError.self) { try simulate(fixture, try JSON(parsing: request)) }
        #expect(error?.code == code)
        #expect(error?.detail.first { $0.key == "list" }?.value == .string(list))
        #expect(error?.detail.first { $0.key == "index" }?.value == .integer(index))
        #expect(try fixture.perform("group.list")["groups"] == [])
    }

    private static let tooManyChanges = #"{"changes":["# + String(repeating: "{},", count: 1000) + "{}]}"
    private static let tooManyApps =
        #"{"changes":[],"apps":["# + (0...10_000).map { "\"a\($0)\"" }.joined(separator: ",") + "]}"
    private static let bad: [(String, MAMError.Code)] = [
        (#"{"changes":{}}"#, .json), ("{}", .json), (#"{"changes":[],"apps":["a b"]}"#, .argument),
        (#"{"changes":[],"deviceLock":"maybe"}"#, .argument), (#"{"changes":[],"more":1}"#, .json),
        (tooManyChanges, .argument), (tooManyApps, .argument),
    ]

    @Test("oversized and invalid requests are refused first", arguments: bad)
    func limits(_ request: String, _ code: MAMError.Code) throws {
        let fixture = try AuthorityFixture()
        let error = #expect(throws: MAMError.self) { try simulate(fixture, try JSON(parsing: request)) }
        #expect(error?.code == code)
    }

    @Test("pairs and questions are limited")
    func pairs() throws {
        let fixture = try AuthorityFixture()
        let apps = JSON.array((0..<5001).map { .string("a\($0)") })
        let twoUsers: JSON = ["changes": [["action": "user.add", "upn": "bob@contoso.example"]], "apps": apps]
        let tooMany = #expect(throws: MAMError.self) { try simulate(fixture, twoUsers) }
        #expect(tooMany?.message.contains("2 users in 5001 apps") == true)
        let requests = JSON.array(Array(repeating: ["action": "print"], count: 200))
        let questions = #expect(throws: MAMError.self) {
            try simulate(fixture, ["changes": [], "apps": apps, "requests": requests])
        }
        #expect(questions?.detail.first { $0.key == "argument" }?.value == "requests")
    }
}
