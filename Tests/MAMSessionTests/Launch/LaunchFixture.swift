import MAMPolicy
import MAMSession
import MAMSupport
import Testing

/// A host that takes questions as events, and its answers.
struct LaunchFixture {
    let place: SessionFixture
    let session: Session
    static let ann = "ann@contoso.example"

    init(_ policy: JSON, app: String = SessionFixture.app, settings: JSON = [:]) throws {
        place = try SessionFixture(policy: nil)
        try place.setPolicy(policy)
        session = try place.host(app, settings)
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        _ = session.allEvents()
    }

    /// Carry out an operation to its end; `answer` receives each question.
    static func finish(
        _ session: Session, _ operation: Int64, _ answer: (JSON) throws -> JSON = { _ in .null }
    ) throws -> JSON {
        while true {
            do { return try session.operations.wait(for: operation, milliseconds: 0).json(in: .english) } catch {
                guard error.code == .timeout else { throw error }
                let event = try #require(session.allEvents().first { $0["event"]?.string == "question" })
                let reply = try answer(event)
                try session.events.answer(try #require(event["id"]?.integer), json: reply)
            }
        }
    }

    func launch(_ answer: (JSON) throws -> JSON = { _ in .null }) throws -> JSON {
        try LaunchFixture.finish(session, try session.launches.launch(), answer)
    }

    func resume(_ answer: (JSON) throws -> JSON = { _ in .null }) throws -> JSON {
        try LaunchFixture.finish(session, try session.launches.resume(), answer)
    }

    /// The form "outcome: action check, …".
    static func shown(_ report: JSON) -> String {
        let findings = (report["findings"]?.array ?? []).map { finding in
            "\(finding["action"]?.string ?? "") \(finding["check"]?.string ?? "")"
        }
        let outcome = report["outcome"]?.string ?? ""
        return findings.isEmpty ? outcome : "\(outcome): \(findings.joined(separator: ", "))"
    }

    func look() throws -> JSON { try LaunchFixture.look(session) }
    static func look(_ session: Session) throws -> JSON { try JSON(parsing: session.launches.conditionalLaunch(ann)) }
    func blocked() throws -> [String] {
        try session.launchBlocks.blockedAccounts().array?.compactMap { $0["reason"]?.string } ?? []
    }
}

extension SessionFixture {
    static func host(_ more: [(key: String, value: JSON)]) -> [(key: String, value: JSON)] {
        [("questions", "events"), ("device", ["lock": "on", "version": "24.04", "model": "Desk"])] + more
    }

    func host(_ app: String = SessionFixture.app, _ settings: JSON = [:]) throws -> Session {
        try open(app: app, SessionFixture.host([("settings", settings)]))
    }

    /// Replace the only policy, which applies to every user.
    func setPolicy(_ policy: JSON) throws {
        let stated = policy.object ?? []
        let named: [(key: String, value: JSON)] = [("id", "one"), ("displayName", "One")]
        let linux: [(key: String, value: JSON)] =
            policy["@odata.type"] == nil ? [("@odata.type", "#libmam.linuxManagedAppProtection")] : []
        try target(.object(linux + stated + named))
    }

    func network(isDown: Bool) throws {
        try admin(isDown ? ["action": "fault.set", "fault": "network"] : ["action": "fault.clear"])
    }
}

/// The answer of a person who signs in.
let signsIn: JSON = ["authenticated": true, "method": "credentials"]
