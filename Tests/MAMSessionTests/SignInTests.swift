import MAMPolicy
import MAMSupport
import Testing

@testable import MAMSession

@Suite("reports of an enrollment whose policy request fails")
struct SignInTests {
    private func failFirstCheckIn(_ place: SessionFixture) throws {
        try place.admin(["action": "fault.set", "fault": "network", "operation": "checkIn", "count": 1])
    }

    @Test("a login is reported once, as enrolled")
    func loginIsToldOnce() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        try failFirstCheckIn(place)
        #expect(
            try session.finish(try session.registrations.loginAndEnroll(try named("ann")))
                == .policyEndPointNetworkFailure)
        #expect(session.codes(of: "enrollmentRequest") == [100])
    }

    @Test("the host is asked to accept the device's account even if the policy request fails")
    func introducedAllTheSame() throws {
        let place = try SessionFixture()
        let session = try place.open([
            ("settings", ["AutoEnrollOnLaunch": true]), ("device", ["mdmAccountId": "oid-ann"]),
            ("questions", "events"),
        ])
        defer { session.end() }
        try failFirstCheckIn(place)
        let op = try session.launches.launch()
        #expect(throws: MAMError(.timeout, "")) { _ = try session.operations.wait(for: op, milliseconds: 0) }
        let question = try #require(session.allEvents().first { $0["event"]?.string == "question" })
        #expect(question["question"]?.string == "addAccount")
        try session.events.answer(question["id"]?.integer ?? 0, json: ["added": false])
        _ = try session.operations.wait(for: op, milliseconds: 10_000)
        #expect(try session.registrations.registeredAccounts() == [])
    }

    @Test("an account that has only an app configuration is enrolled")
    func enrolledForConfiguration() throws {
        let place = try SessionFixture(policy: nil)
        let session = try place.open()
        defer { session.end() }
        try place.admin([
            "action": "config.import", "type": "config",
            "document": ["id": "c", "displayName": "C", "customSettings": [["name": "a", "value": "b"]]],
        ])
        try place.admin(["action": "config.assign", "config": "c", "allUsers": true])
        try place.admin(["action": "config.target", "config": "c", "allApps": true])
        #expect(try session.enroll("ann") == .noPolicyReceived)
        #expect(session.codes(of: "enrollmentRequest") == [100])
    }
}
