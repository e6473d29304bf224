import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("app configurations")
struct ConfigurationTests {
    /// With `ann`, a group of hers, and an imported configuration that is not assigned.
    private func fixture() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture()
        for group in ["Sales", "Guests"] { try fixture.perform("group.add", ["name": .string(group)]) }
        try fixture.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "red", ["color": "red"])])
        return fixture
    }

    private func received(_ fixture: AuthorityFixture, app: String = "notes") throws -> [AppConfiguration] {
        let app = App(fixture, app: app)
        return try app.checkIn(app.enroll()).configurations
    }

    @Test("a check-in delivers the configurations that reach the user in the app")
    func reach() throws {
        let fixture = try fixture()
        #expect(try received(fixture) == [])
        try fixture.perform("config.assign", ["config": "red", "group": "Sales"])
        #expect(try received(fixture) == [])
        let summary = try fixture.perform("config.target", ["config": "red", "app": "notes"])
        #expect(summary["groups"] == ["Sales"] && summary["apps"] == ["notes"])
        let red = try AppConfiguration(id: "red", name: "RED", channel: .targeted, values: [("color", "red")])
        #expect(try received(fixture) == [red])
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        #expect(try received(fixture, app: "mail") == [])
        try fixture.perform("config.target", ["config": "red", "allApps": true])
        #expect(try received(fixture, app: "mail") == [red])
        try fixture.perform("config.assign", ["config": "red", "group": "Sales", "exclude": true])
        #expect(try received(fixture) == [])
        try fixture.perform("config.unassign", ["config": "red", "group": "Sales", "exclude": true])
        try fixture.perform("config.unassign", ["config": "red", "group": "Sales"])
        try fixture.perform("config.assign", ["config": "red", "allUsers": true])
        try fixture.perform("config.untarget", ["config": "red", "allApps": true])
        #expect(try received(fixture) == [red])
        try fixture.perform("config.remove", ["config": "red"])
        #expect(try received(fixture) == [])
    }

    @Test("configurations come in order of creation, followed by the tenant default")
    func several() throws {
        let fixture = try fixture()
        try fixture.perform(
            "config.import",
            ["document": AuthorityFixture.configuration(id: "d", ["color": "grey", "__IsDefault": "TRUE"])])
        try fixture.perform(
            "config.import", ["document": AuthorityFixture.configuration(id: "blue", ["color": "blue"])])
        #expect(try received(fixture).map(\.id) == ["d"])
        for id: JSON in ["blue", "red"] {
            try fixture.perform("config.assign", ["config": id, "allUsers": true])
            try fixture.perform("config.target", ["config": id, "allApps": true])
        }
        let received = try received(fixture)
        #expect(received.map(\.id) == ["red", "blue", "d"])
        #expect(received.map(\.channel) == [.targeted, .targeted, .tenantDefault])
        #expect(received.last?.values.map(\.key) == ["color"])
    }

    @Test("there is at most one tenant default, and it has no exclusions")
    func tenantDefault() throws {
        let fixture = try fixture()
        let mark: KeyValuePairs<String, String> = ["__IsDefault": "true"]
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "d", mark)])
        let before = try fixture.perform("config.list")
        let refusal = try fixture.refusal("config.import", ["document": AuthorityFixture.configuration(id: "e", mark)])
        #expect(refusal?.code == .already)
        #expect(refusal?.message.contains("\"d\" and \"e\"") == true)
        #expect(try fixture.perform("config.list") == before)
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "D", mark)])
        try fixture.perform(
            "config.import",
            ["document": [AuthorityFixture.configuration(id: "e", mark), AuthorityFixture.configuration(id: "d", [:])]])
        #expect(
            try fixture.refusal("config.assign", ["config": "e", "group": "Sales", "exclude": true])?.code == .argument)
    }

    @Test("a configuration alone lets its users enroll; a tenant default does not")
    func enrolling() throws {
        let fixture = try fixture()
        try fixture.perform("policy.remove", ["policy": "strict"])
        try fixture.perform(
            "config.import", ["document": AuthorityFixture.configuration(id: "d", ["__IsDefault": "true"])])
        #expect(try failure { try App(fixture).enroll() }?.code == .licensedNotTargeted)
        try fixture.perform("config.assign", ["config": "red", "allUsers": true])
        try fixture.perform("config.target", ["config": "red", "app": "notes"])
        let app = App(fixture)
        let reply = try app.checkIn(app.enroll())
        #expect(reply.policies.isEmpty && reply.configurations.map(\.id) == ["red", "d"])
    }

    @Test("the reply with a wipe has no configurations")
    func wipe() throws {
        let fixture = try fixture()
        try fixture.perform("config.assign", ["config": "red", "allUsers": true])
        try fixture.perform("config.target", ["config": "red", "app": "notes"])
        let app = App(fixture)
        let enrollment = try app.enroll()
        try fixture.perform("wipe.request", ["user": "ann-id"])
        let reply = try app.checkIn(enrollment)
        #expect(reply.wipe != nil && reply.configurations.isEmpty)
    }
}
