import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

@Suite("PIN of an account")
struct PINConversationTests {
    private func place(_ more: [(key: String, value: JSON)] = []) throws -> (SessionFixture, Session) {
        let policy: [(key: String, value: JSON)] = [
            ("@odata.type", "#libmam.linuxManagedAppProtection"), ("displayName", "PINs"), ("pinRequired", true),
            ("maximumPinRetries", 3),
        ]
        let place = try SessionFixture(policy: .object(policy + more))
        let session = try place.open([("questions", "events")])
        _ = try session.enroll("ann")
        return (place, session)
    }

    private func secret(_ text: String) throws -> SecretBytes {
        try Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(MAMError) in try SecretBytes(copying: bytes) }
        }.get()
    }

    private func set(_ pin: String, _ session: Session) throws {
        try session.pins.set(try named("ann"), old: nil, new: try secret(pin))
    }

    private func verify(_ pin: String, _ session: Session) throws {
        try session.pins.verify(try named("ann"), try secret(pin))
    }

    private func state(_ session: Session) throws -> String? {
        try session.pins.status(of: try named("ann"))["state"]?.string
    }

    /// Request access, answering each question with the next answer: text is the secret, JSON is itself. Returns the questions as
    /// "kind purpose reason", and the result.
    private func talk(_ session: Session, _ answers: [JSON]) throws -> (asked: [String], result: PINEnd.Result) {
        let account = try #require(try session.current().accounts.first)
        let op = session.operations.start(.pin(PINConversation(account, .access)))
        var (asked, left): ([String], [JSON]) = ([], answers)
        while true {
            if let result = try? session.operations.wait(for: op, milliseconds: 0) {
                guard case .pin(let end) = result else { throw MAMError(.internal, "no end of a conversation") }
                #expect(left.isEmpty)
                return (asked, end.result)
            }
            let question = try #require(session.allEvents().first { $0["event"]?.string == "question" })
            let words = ["question", "purpose", "reason"].compactMap { question[$0]?.string }
            asked.append(words.joined(separator: " "))
            let id = question["id"]?.integer ?? 0
            guard !left.isEmpty else { throw MAMError(.internal, "one question too many: \(asked)") }
            let answer = left.removeFirst()
            if let text = answer.string {
                try session.events.answer(id, secret: try secret(text))
            } else {
                try session.events.answer(id, json: answer)
            }
        }
    }

    @Test("a missing PIN is chosen, and nothing is asked if none is required")
    func first() throws {
        let (_, session) = try place()
        defer { session.end() }
        let first = try talk(session, ["12", "1397"])
        #expect(first.asked == ["pin new notSet", "pin new notSet"] && first.result == .changed)
        let free = try SessionFixture(policy: [
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Free",
        ])
        let unasked = try free.open([("questions", "events")])
        defer { unasked.end() }
        _ = try unasked.enroll("ann")
        let none = try talk(unasked, [])
        #expect(none.asked == [] && none.result == .entered)
    }

    @Test("a device lock may replace the PIN")
    func deviceLock() throws {
        let (place, session) = try place([("disableAppPinIfDevicePinIsSet", true)])
        session.end()
        for (lock, isAsked) in [("on", false), ("off", true)] {
            let locked = try place.open([("questions", "events"), ("device", ["lock": .string(lock)])])
            let end = try talk(locked, isAsked ? [.null] : [])
            #expect(end.result == (isAsked ? .canceled : .entered))
            locked.end()
        }
    }

    @Test("the PIN is entered, also after wrong ones, which count")
    func entered() throws {
        let (_, session) = try place()
        defer { session.end() }
        try set("1397", session)
        let right = try talk(session, ["1397"])
        #expect(right.asked == ["pin enter"] && right.result == .entered)
        let second = try talk(session, ["0000", "13\n97", "1397"])
        #expect(second.asked == ["pin enter", "pin enter wrong", "pin enter wrong"] && second.result == .entered)
        #expect(try talk(session, [.null]).result == .canceled)
        #expect(try session.pins.status(of: try named("ann"))["attemptsLeft"]?.integer == 3)
    }

    @Test("after a forgotten PIN or the last attempt the person signs in and chooses another")
    func forgotten() throws {
        let (_, session) = try place()
        defer { session.end() }
        try set("1397", session)
        let forgot = try talk(session, [["forgot": true], ["upn": "ann@contoso.example"], "2468"])
        #expect(forgot.asked == ["pin enter", "authenticate pinReset", "pin new reset"] && forgot.result == .changed)
        let used = try talk(session, ["0000", "0001", "0002", ["upn": "bob@contoso.example"]])
        #expect(used.asked.last == "authenticate pinReset" && used.result == .otherAccount)
        #expect(try state(session) == "exhausted")
        let later = try talk(session, [["accountId": "OID-ANN"], "1397"])
        #expect(later.asked == ["authenticate pinReset", "pin new reset"] && later.result == .changed)
        try verify("1397", session)
    }

    @Test("an expired PIN is entered and then replaced; setting the clock back does not prolong it")
    func expired() throws {
        let (place, session) = try place([("periodBeforePinReset", "P30D"), ("previousPinBlockCount", 1)])
        defer { session.end() }
        try set("1397", session)
        place.time.advance(.days(31))
        #expect(try state(session) == "expired")
        #expect(throws: MAMError(.locked, "")) { try verify("1397", session) }
        place.time.advance(TimeSpan(milliseconds: -5 * 86_400_000))
        #expect(try state(session) == "expired")
        let end = try talk(session, ["1397", "1397", "2468"])
        #expect(end.asked == ["pin enter", "pin new expired", "pin new expired"] && end.result == .changed)
        #expect(try state(session) == "set")
    }

    @Test("the permission to set a new PIN lasts ten minutes by the clock since boot")
    func grant() throws {
        let (place, session) = try place()
        defer { session.end() }
        try set("1397", session)
        for (wait, isGood) in [(TimeSpan.minutes(9), true), (.minutes(11), false)] {
            let account = try #require(try session.current().accounts.first)
            session.pins.grant(account.row.id)
            place.time.advance(wait)
            #expect(session.pins.hasGrant(account.row.id) == isGood)
        }
        #expect(throws: MAMError(.denied, "")) { try set("2468", session) }
    }

    @Test("invalid answers of a host end the conversation and do not count as attempts")
    func nonsense() throws {
        let (_, session) = try place()
        defer { session.end() }
        try set("1397", session)
        let end = try talk(session, Array(repeating: "\u{0}", count: 10))
        #expect(end.result == .canceled)
        #expect(try session.pins.status(of: try named("ann"))["attemptsLeft"]?.integer == 3)
    }

    @Test("a PIN with the lower key derivation cost of an earlier release is stored at the current cost when entered")
    func raised() throws {
        let (_, session) = try place()
        defer { session.end() }
        let pin = try secret("1397")
        func kept() throws -> PINRecord? {
            try session.state.read { (view, _) throws(MAMError) in
                try view.pins.load(try view.pins.subject(of: Array("oid-ann".utf8)))
            }
        }
        try session.state.write { (view) throws(MAMError) in
            let subject = try view.pins.subject(of: Array("oid-ann".utf8))
            let cheap = try PINHash(pin, id: subject.id, key: subject.key, cost: .init(logN: 4, r: 8, p: 1))
            try view.pins.store(PINRecord(cheap, rule: .null, now: session.clock.now(), after: nil), subject)
        }
        #expect(throws: MAMError(.denied, "")) { try verify("0000", session) }
        #expect(try kept()?.hash.cost != .current)
        try verify("1397", session)
        #expect(try kept()?.hash.cost == .current)
        try verify("1397", session)
    }

    @Test("the last attempt wipes once; after re-enrollment the person signs in instead")
    func wiped() throws {
        let (_, session) = try place([("appActionIfMaximumPinRetriesExceeded", "wipe")])
        defer { session.end() }
        try set("1397", session)
        let end = try talk(session, ["0000", "0001", "0002"])
        #expect(end.result == .wiped)
        #expect(session.allEvents().contains { $0["step"]?.string == "closed" })
        try session.operations.runDueNow()
        _ = try session.enroll("ann")
        let again = try talk(session, [["upn": "ann@contoso.example"], "2468"])
        #expect(again.asked == ["authenticate pinReset", "pin new reset"] && again.result == .changed)
    }

    @Test("without a host to ask, the conversation ends at once")
    func nobody() throws {
        let (place, session) = try place()
        session.end()
        let alone = try place.open()
        defer { alone.end() }
        let account = try #require(try alone.current().accounts.first)
        let op = alone.operations.start(.pin(PINConversation(account, .access)))
        guard case .pin(let end) = try alone.operations.wait(for: op, milliseconds: 10_000) else {
            throw MAMError(.internal, "")
        }
        #expect(end.result == .canceled)
    }
}
