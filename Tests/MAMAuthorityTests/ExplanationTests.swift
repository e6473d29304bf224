import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("explain")
struct ExplanationTests {
    /// With `ann` in Sales, and a policy for each reason to reach her or not.
    private func fixture() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture()
        try fixture.perform("group.add", ["name": "Sales"])
        try fixture.perform("group.add", ["name": "Law"])
        try fixture.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        for id in ["unassigned", "lawyers", "excluded", "elsewhere"] {
            try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: id)])
            if id != "elsewhere" { try fixture.perform("policy.target", ["policy": .string(id), "app": "notes"]) }
        }
        try fixture.perform("policy.assign", ["policy": "lawyers", "group": "Law"])
        try fixture.perform("policy.assign", ["policy": "excluded", "allUsers": true])
        try fixture.perform("policy.assign", ["policy": "excluded", "group": "Sales", "exclude": true])
        try fixture.perform("policy.assign", ["policy": "elsewhere", "group": "Sales"])
        try fixture.perform(
            "policy.import", ["document": AuthorityFixture.policy(id: "default", type: "defaultManagedAppProtection")])
        return fixture
    }

    private func explain(_ fixture: AuthorityFixture, _ user: String = "ann-id", _ app: String = "notes") throws -> JSON
    {
        try PolicyExplanation.make(
            path: fixture.path, request: ["user": .string(user), "app": .string(app)], now: AuthorityFixture.time)
    }

    @Test("each policy has its reasons")
    func why() throws {
        let told = try explain(fixture())
        #expect(told["decisions"]?.array?.count == SimulatedRequest.all.count)
        let why = (told["policies"]?.array ?? []).map { policy in
            "\(policy["id"]?.string ?? ""): \((policy["why"]?.array ?? []).compactMap(\.string).joined(separator: " "))"
        }
        #expect(
            why == [
                "strict: assigned", "unassigned: notAssigned", "lawyers: notAssigned", "excluded: excluded",
                "elsewhere: notTargeted", "default: replaced",
            ])
        let messages = (told["policies"]?.array ?? []).compactMap(\.["message"]?.string)
        #expect(messages[2] == "not assigned to the user, who is not in \"Law\"")
        #expect(messages[3] == "excludes \"Sales\", which the user is in")
        #expect(told["effective"]?["policies"]?.array?.compactMap(\.["id"]?.string) == ["strict"])
    }

    @Test("the tenant default applies where no other policy does")
    func tenantDefault() throws {
        let told = try explain(fixture(), "ann@contoso.example", "mail")
        #expect(told["appKnown"] == false)
        #expect(told["mayEnroll"] == true)
        #expect(told["effective"]?["policies"]?.array?.compactMap(\.["id"]?.string) == ["default"])
    }

    @Test("refused check-ins deliver nothing")
    func refused() throws {
        let fixture = try fixture()
        try fixture.perform("user.set", ["user": "ann-id", "licensed": false])
        let told = try explain(fixture)
        #expect(told["effective"] == .null)
        #expect(told["checkIn"]?["delivers"] == false)
        #expect(told["checkIn"]?["name"] == "accountNotLicensed")
        #expect(told["decisions"] == [])
        #expect(told["policies"]?.array?.allSatisfy { $0["why"] == ["refused"] } == true)
    }

    @Test("configurations are explained like policies")
    func configurations() throws {
        let fixture = try fixture()
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "red", ["color": "red"])])
        try fixture.perform("config.assign", ["config": "red", "group": "Sales"])
        #expect(try explain(fixture)["configurations"]?.array?.first?["why"] == ["notTargeted"])
        try fixture.perform("config.target", ["config": "red", "allApps": true])
        #expect(try explain(fixture)["configurations"]?.array?.first?["delivered"] == true)
    }

    @Test(
        "errors name the argument",
        arguments: [
            (#"{"user":"ann-id"}"#, "app", MAMError.Code.json), (#"{"user":"ann-id","app":"a b"}"#, "app", .argument),
            (#"{"user":"eve","app":"notes"}"#, "user", .notFound), (#"{"user":1,"app":"notes"}"#, "user", .json),
            (#"{"action":"user.list","user":"ann-id","app":"notes"}"#, "action", .json),
        ])
    func mistakes(_ request: String, _ culprit: String, _ code: MAMError.Code) throws {
        let fixture = try AuthorityFixture()
        let error = #expect(throws: MAMError.self) {
            try PolicyExplanation.make(
                path: fixture.path, request: try JSON(parsing: request), now: AuthorityFixture.time)
        }
        #expect(error?.code == code)
        #expect(error?.detail.first { $0.key == "argument" }?.value == .string(culprit))
    }
}
