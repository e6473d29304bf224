import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("explain")
struct ExplanationTests {
    /// Ann in Sales; a policy for each way to reach her, or not.
    private func office() throws -> Office {
        let office = try Office()
        try office.perform("group.add", ["name": "Sales"])
        try office.perform("group.add", ["name": "Law"])
        try office.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        for id in ["unassigned", "lawyers", "excluded", "elsewhere"] {
            try office.perform("policy.import", ["document": Office.policy(id: id)])
            if id != "elsewhere" { try office.perform("policy.target", ["policy": .string(id), "app": "notes"]) }
        }
        try office.perform("policy.assign", ["policy": "lawyers", "group": "Law"])
        try office.perform("policy.assign", ["policy": "excluded", "allUsers": true])
        try office.perform("policy.assign", ["policy": "excluded", "group": "Sales", "exclude": true])
        try office.perform("policy.assign", ["policy": "elsewhere", "group": "Sales"])
        try office.perform(
            "policy.import", ["document": Office.policy(id: "default", type: "defaultManagedAppProtection")])
        return office
    }

    private func explain(_ office: Office, _ user: String = "ann-id", _ app: String = "notes") throws -> JSON {
        try PolicyExplanation.make(
            path: office.path, request: ["user": .string(user), "app": .string(app)], now: Office.time)
    }

    @Test("of each policy it says what stands in the way")
    func why() throws {
        let told = try explain(office())
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

    @Test("where no other policy reaches the user the default does")
    func tenantDefault() throws {
        let told = try explain(office(), "ann@contoso.example", "mail")
        #expect(told["appKnown"] == false)
        #expect(told["mayEnroll"] == true)
        #expect(told["effective"]?["policies"]?.array?.compactMap(\.["id"]?.string) == ["default"])
    }

    @Test("a user whose check-ins are refused gets nothing, and keeps what is there")
    func refused() throws {
        let office = try office()
        try office.perform("user.set", ["user": "ann-id", "licensed": false])
        let told = try explain(office)
        #expect(told["effective"] == .null)
        #expect(told["checkIn"]?["delivers"] == false)
        #expect(told["checkIn"]?["name"] == "accountNotLicensed")
        #expect(told["policies"]?.array?.allSatisfy { $0["why"] == ["refused"] } == true)
    }

    @Test("configurations are told like policies")
    func configurations() throws {
        let office = try office()
        try office.perform("config.import", ["document": Office.configuration(id: "red", ["color": "red"])])
        try office.perform("config.assign", ["config": "red", "group": "Sales"])
        #expect(try explain(office)["configurations"]?.array?.first?["why"] == ["notTargeted"])
        try office.perform("config.target", ["config": "red", "allApps": true])
        #expect(try explain(office)["configurations"]?.array?.first?["delivered"] == true)
    }

    @Test(
        "a mistake is named",
        arguments: [
            (#"{"user":"ann-id"}"#, "app", MAMError.Code.json), (#"{"user":"ann-id","app":"a b"}"#, "app", .argument),
            (#"{"user":"eve","app":"notes"}"#, "user", .notFound), (#"{"user":1,"app":"notes"}"#, "user", .json),
            (#"{"action":"user.list","user":"ann-id","app":"notes"}"#, "action", .json),
        ])
    func mistakes(_ request: String, _ culprit: String, _ code: MAMError.Code) throws {
        let office = try Office()
        let error = #expect(throws: MAMError.self) {
            try PolicyExplanation.make(path: office.path, request: try JSON(parsing: request), now: Office.time)
        }
        #expect(error?.code == code)
        #expect(error?.detail.first { $0.key == "argument" }?.value == .string(culprit))
    }
}
