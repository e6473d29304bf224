import CProcess
import MAMPolicy
import MAMProtection
import MAMSession
import MAMState
import MAMSupport
import Testing

@Suite("Wipe")
struct WipeTests {
    private func seal(_ session: Session, _ account: String, _ text: String) throws -> [UInt8] {
        let plain = Array(text.utf8)
        let sealer = try session.protection.sealer(for: try AccountArgument(account), content: .data)
        var out = [UInt8](repeating: 0, count: sealer.length(of: plain.count) ?? 0)
        try plain.withUnsafeBytes { input in
            try out.withUnsafeMutableBytes { room in try sealer.seal(input, into: room) }
        }
        return out
    }

    private func opens(_ session: Session, _ container: [UInt8]) -> Bool {
        container.withUnsafeBytes { bytes in
            guard let header = try? Container.header(bytes), let opener = try? session.protection.opener(for: header)
            else {
                return false
            }
            var out = [UInt8](repeating: 0, count: Int(header.length))
            return out.withUnsafeMutableBytes { room in (try? opener.open(bytes, header: header, into: room)) != nil }
        }
    }

    @Test("by the administrator, the host and deregistration", arguments: ["administrator", "host", "deregistration"])
    func reasons(_ reason: String) throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let work = try seal(session, "ann@contoso.example", "work")
        let personal = try seal(session, "", "personal")
        #expect(opens(session, work) && opens(session, personal))
        let policy = try session.policies.handle(of: PolicySubject(try named("ann")), in: session, newToken)
        switch reason {
        case "administrator":
            try place.admin(["action": "wipe.request", "user": "ann@contoso.example"])
            #expect(try session.checkInAll() == .wipeReceived)
            try session.operations.runDueNow()
        case "host":
            #expect(
                try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        default:
            #expect(
                try session.finish(try session.registrations.deregister(try named("ann"), isWipe: true))
                    == .unenrollmentSuccess)
        }
        #expect(!opens(session, work))
        #expect(opens(session, personal))
        #expect(try session.policies.json(policy)["lockDown"]?.bool == true)
        #expect(try session.registrations.registeredAccounts() == [])
        let complete = session.allEvents().filter { $0["event"]?.string == "wipeDidComplete" }
        #expect(complete.count == 1)
        #expect(complete.first?["reason"]?.string == reason)
        #expect(try place.admin(["action": "registration.list"])["registrations"]?.array?.isEmpty == true)
        // No wipe loop: the same request does not affect the next enrollment.
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.checkInAll() == .policiesHaveNotChanged)
    }

    @Test func theHostsAnswerIsReported() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        session.events.setDelegate { question in try? session.events.answer(question.id, json: ["removed": true]) }
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        session.events.setDelegate(nil)
        #expect(session.allEvents().contains { $0["hostRemovedData"]?.bool == true })
    }

    @Test(
        "a question delivered as an event delays the wipe until it is answered; the account stays closed meanwhile")
    func questionAsEvent() throws {
        let place = try SessionFixture()
        let session = try place.open([("questions", "events")])
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let work = try seal(session, "ann@contoso.example", "work")
        let operation = try session.wipes.wipe(try named("ann"), reason: .host)
        #expect(!opens(session, work))
        #expect(throws: MAMError(.timeout, "")) { try session.operations.wait(for: operation, milliseconds: 50) }
        guard let id = session.allEvents().first(where: { $0["event"]?.string == "question" })?["id"]?.integer else {
            Issue.record("no question")
            return
        }
        try session.events.answer(id, json: ["removed": true])
        #expect(throws: MAMError(.gone, "")) { try session.events.answer(id, json: ["removed": false]) }
        #expect(try session.finish(operation) == .unenrollmentSuccess)
    }

    @Test("a wipe that a closed session left unfinished is completed by later sessions")
    func resumes() throws {
        let place = try SessionFixture()
        var session = try place.open([("questions", "events")])
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let work = try seal(session, "ann@contoso.example", "work")
        let operation = try session.wipes.wipe(try named("ann"), reason: .host)
        #expect(throws: MAMError(.timeout, "")) { try session.operations.wait(for: operation, milliseconds: 20) }
        session.end()
        let other = try place.open(app: "com.example.other")
        try other.operations.runDueNow()
        other.end()
        session = try place.open()
        defer { session.end() }
        try session.operations.runDueNow()
        #expect(!opens(session, work))
        #expect(session.allEvents().contains { $0["event"]?.string == "wipeDidComplete" })
        #expect(try session.registrations.registeredAccounts() == [])
    }

    @Test(
        "a wipe that cannot be reported is complete, and is reported later",
        arguments: [TimeSpan.hours(2), .days(-40)])
    func reportedLater(after span: TimeSpan) throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try place.admin(["action": "fault.set", "fault": "network"])
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(session.allEvents().contains { $0["event"]?.string == "wipeDidComplete" })
        #expect(try place.admin(["action": "registration.list"])["registrations"]?.array?.count == 1)
        try place.admin(["action": "fault.clear"])
        place.time.advance(span)  // or the clock is set back
        try session.operations.runDueNow()
        #expect(try place.admin(["action": "registration.list"])["registrations"]?.array?.isEmpty == true)
    }

    @Test("outcomes persist until they are read, and are delivered again after a reader died")
    func outcomesPersist() throws {
        let place = try SessionFixture()
        var session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        session.end()
        session = try place.open()
        defer { session.end() }
        let names = session.allEvents().compactMap { $0["event"]?.string }
        #expect(names == ["unenrollRequest", "wipeDidComplete"])
    }

    @Test("another account and another app keep their keys and data")
    func scope() throws {
        let place = try SessionFixture()
        let several: [(key: String, value: JSON)] = [("settings", ["MultiManagedIdentities": true])]
        let session = try place.open(several)
        let other = try place.open(app: "com.example.other")
        defer {
            session.end()
            other.end()
        }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        let bobs = try seal(session, "bob@contoso.example", "bob")
        let others = try seal(other, "ann@contoso.example", "other")
        #expect(!opens(session, others), "every app has its own keys")
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(opens(session, bobs))
        #expect(opens(other, others))
        #expect(throws: MAMError(.notEnrolled, "")) {
            try session.protection.sealer(for: try named("ann"), content: .data)
        }
    }

    @Test(
        "after a kill between the tombstone and the commit, a running session refuses at once and reports the whole wipe"
    )
    func tombstoneAlone() throws {
        let place = try SessionFixture()
        var session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let work = try seal(session, "ann@contoso.example", "work")
        // The state after the first write of a wipe, with an odd generation, as after a process was killed before its commit.
        let share = try onlyFile(in: place.root + "/state/com.example/shares")
        try overwriteFile(share, Array("MAMWIPED".utf8) + [2] + [UInt8](repeating: 0, count: 23))
        try place.withWords { shared_generation_word_set($0, 3) }
        #expect(!opens(session, work))
        #expect(throws: MAMError.self) { try session.protection.sealer(for: try named("ann"), content: .data) }
        session.end()
        session = try place.open()
        defer { session.end() }
        try session.operations.runDueNow()
        let complete = session.allEvents().filter { $0["event"]?.string == "wipeDidComplete" }
        #expect(complete.first?["accountId"]?.string == "oid-ann")
        #expect(complete.first?["reason"]?.string == "deregistration")
        #expect(try place.admin(["action": "registration.list"])["registrations"]?.array?.isEmpty == true)
    }

    @Test("an account without its share stays refused by name and can be wiped; others are not affected")
    func lostShare() throws {
        let place = try SessionFixture()
        let session = try place.open([("settings", ["MultiManagedIdentities": true])])
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        try removeFile(try onlyFile(in: place.root + "/state/com.example/shares"))
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        // If another share exists, a missing one means a wipe to be finished.
        #expect(throws: MAMError(.notEnrolled, "")) {
            try session.protection.sealer(for: try named("ann"), content: .data)
        }
        #expect(try session.allows("print", "ann@contoso.example") == false)
        #expect(try session.allows("print", "carol@contoso.example") == false)
        #expect(try session.allows("print", "carol@personal.example") == true)
        _ = try seal(session, "bob@contoso.example", "bob")
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
    }
}
