import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("app configurations")
struct ConfigurationTests {
    /// With `ann`, her group, and a configuration that is imported and reaches nobody.
    private func office() throws -> Office {
        let office = try Office()
        for group in ["Sales", "Guests"] { try office.perform("group.add", ["name": .string(group)]) }
        try office.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        try office.perform("config.import", ["document": Office.configuration(id: "red", ["color": "red"])])
        return office
    }

    private func received(_ office: Office, app: String = "notes") throws -> [AppConfiguration] {
        let app = App(office, app: app)
        return try app.checkIn(app.enroll()).configurations
    }

    @Test("a check-in brings those that reach the user in the app, whole")
    func reach() throws {
        let office = try office()
        #expect(try received(office) == [])
        try office.perform("config.assign", ["config": "red", "group": "Sales"])
        #expect(try received(office) == [])
        let summary = try office.perform("config.target", ["config": "red", "app": "notes"])
        #expect(summary["groups"] == ["Sales"] && summary["apps"] == ["notes"])
        let red = try AppConfiguration(id: "red", name: "RED", channel: .targeted, values: [("color", "red")])
        #expect(try received(office) == [red])
        try office.perform("policy.target", ["policy": "strict", "app": "mail"])
        #expect(try received(office, app: "mail") == [])
        try office.perform("config.target", ["config": "red", "allApps": true])
        #expect(try received(office, app: "mail") == [red])
        try office.perform("config.assign", ["config": "red", "group": "Sales", "exclude": true])
        #expect(try received(office) == [])
        try office.perform("config.unassign", ["config": "red", "group": "Sales", "exclude": true])
        try office.perform("config.unassign", ["config": "red", "group": "Sales"])
        try office.perform("config.assign", ["config": "red", "allUsers": true])
        try office.perform("config.untarget", ["config": "red", "allApps": true])
        #expect(try received(office) == [red])
        try office.perform("config.remove", ["config": "red"])
        #expect(try received(office) == [])
    }

    @Test("every one that reaches is sent, in order of creation, and the tenant default behind them")
    func several() throws {
        let office = try office()
        try office.perform(
            "config.import", ["document": Office.configuration(id: "d", ["color": "grey", "__IsDefault": "TRUE"])])
        try office.perform("config.import", ["document": Office.configuration(id: "blue", ["color": "blue"])])
        #expect(try received(office).map(\.id) == ["d"])
        for id: JSON in ["blue", "red"] {
            try office.perform("config.assign", ["config": id, "allUsers": true])
            try office.perform("config.target", ["config": id, "allApps": true])
        }
        let received = try received(office)
        #expect(received.map(\.id) == ["red", "blue", "d"])
        #expect(received.map(\.channel) == [.targeted, .targeted, .tenantDefault])
        #expect(received.last?.values.map(\.key) == ["color"])
    }

    @Test("there is one tenant default at the most, and it excludes nobody")
    func tenantDefault() throws {
        let office = try office()
        let mark: KeyValuePairs<String, String> = ["__IsDefault": "true"]
        try office.perform("config.import", ["document": Office.configuration(id: "d", mark)])
        let before = try office.perform("config.list")
        let refusal = try office.refusal("config.import", ["document": Office.configuration(id: "e", mark)])
        #expect(refusal?.code == .already)
        #expect(refusal?.message.contains("\"d\" and \"e\"") == true)
        #expect(try office.perform("config.list") == before)
        try office.perform("config.import", ["document": Office.configuration(id: "D", mark)])
        try office.perform(
            "config.import",
            ["document": [Office.configuration(id: "e", mark), Office.configuration(id: "d", [:])]])
        #expect(
            try office.refusal("config.assign", ["config": "e", "group": "Sales", "exclude": true])?.code == .argument)
    }

    @Test("a configuration alone lets its users enroll; a tenant default does not")
    func enrolling() throws {
        let office = try office()
        try office.perform("policy.remove", ["policy": "strict"])
        try office.perform("config.import", ["document": Office.configuration(id: "d", ["__IsDefault": "true"])])
        #expect(try failure { try App(office).enroll() }?.code == .licensedNotTargeted)
        try office.perform("config.assign", ["config": "red", "allUsers": true])
        try office.perform("config.target", ["config": "red", "app": "notes"])
        let app = App(office)
        let reply = try app.checkIn(app.enroll())
        #expect(reply.policies.isEmpty && reply.configurations.map(\.id) == ["red", "d"])
    }

    @Test("a wipe comes without configurations")
    func wipe() throws {
        let office = try office()
        try office.perform("config.assign", ["config": "red", "allUsers": true])
        try office.perform("config.target", ["config": "red", "app": "notes"])
        let app = App(office)
        let enrollment = try app.enroll()
        try office.perform("wipe.request", ["user": "ann-id"])
        let reply = try app.checkIn(enrollment)
        #expect(reply.wipe != nil && reply.configurations.isEmpty)
    }
}
