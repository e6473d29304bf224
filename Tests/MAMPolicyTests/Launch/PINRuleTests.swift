import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("requirements for a PIN")
struct PINRuleTests {
    private func violations(_ rule: PINRule, _ pin: String, isNew: Bool = true) -> [PINViolation] {
        rule.violations(in: Array(pin.utf8).span, isNew: isNew)
    }

    @Test(
        "three equal, ascending or descending characters are simple",
        arguments: [
            "1235": true, "1112": true, "1122": false, "3210": true, "1357": false, "8901": false,
            "90ab": false, "7890": true, "2468": false, "a1b2c3": false, "aBc9": true, "cBa9": true,
            "!\"#$": false, "!!!9": true, "éééé": true, "121212": false, "4321": true, "0012": true,
        ])
    func simple(pin: String, isSimple: Bool) {
        var rule = PINRule()
        rule.isSimpleBlocked = true
        #expect(violations(rule, pin).contains(.simple) == isSimple)
        rule.isSimpleBlocked = false
        #expect(!violations(rule, pin).contains(.simple))
    }

    @Test(
        "a passcode needs a letter or special character; if simple ones are blocked, a digit and both",
        arguments: [
            "1397": "noLetterOrSpecial | noLetter noSpecial", "139a": "| noSpecial", "139!": "| noLetter", "13a!": "|",
            "qza!": "| noDigit", "13é!": "|", "13 9": "| noLetter",
        ])
    func passcode(pin: String, lacking: String) {
        var rule = PINRule()
        rule.kind = .passcode
        let loose = violations(rule, pin).map(\.name)
        rule.isSimpleBlocked = true
        let strict = violations(rule, pin).map(\.name)
        #expect((loose + ["|"] + strict).joined(separator: " ") == lacking)
    }

    @Test("a new numeric PIN contains only digits; an existing passcode stays valid")
    func numeric() {
        let rule = PINRule()
        #expect(violations(rule, "139a") == [.notDigits])
        #expect(violations(rule, "139a", isNew: false) == [])
        #expect(violations(rule, "139", isNew: false) == [.tooShort(minimum: 4)])
        #expect(violations(rule, "١٢٣٤") == [.notDigits])
    }

    @Test("characters are counted, not bytes")
    func length() {
        var rule = PINRule()
        (rule.kind, rule.minimumLength) = (.passcode, 5)
        #expect(violations(rule, "éé😀é") == [.tooShort(minimum: 5)])
        #expect(violations(rule, "éé😀éq") == [])
    }

    @Test(
        "invalid input is rejected before it is examined",
        arguments: [([], 1), ([0x31, 0, 0x34], 1), ([0x31, 0x0A], 1), ([0x31, 0xFF, 0x32], 1), ([0x31], 65_537)])
    func refused(characters: [UInt8], times: Int) {
        let pin = Array(repeatElement(characters, count: times).joined())
        #expect(throws: MAMError(.argument, "")) {
            try PINRule.check(pin.span, "pin")
        }
    }

    @Test("no message reveals anything about the PIN")
    func messages() {
        let all: [PINViolation] = [
            .tooShort(minimum: 6), .notDigits, .noLetterOrSpecial, .noDigit, .noLetter, .noSpecial, .simple,
            .usedBefore(count: 1), .usedBefore(count: 3),
        ]
        #expect(Set(all.map(\.message)).count == all.count)
        for lack in all { #expect(!lack.message.contains("1397") && !lack.message.isEmpty) }
    }
}

@Suite("merged PIN rules")
struct PINMergeTests {
    private func rule(_ texts: String...) throws -> PINRule? {
        EffectivePolicy(
            merging: try texts.enumerated().map { number, text in
                try PolicyDocument(id: "p\(number)", json: JSON(parsing: Array("{\(text)}".utf8)))
            }
        ).pinRule
    }

    @Test("without pinRequired there is no rule")
    func notRequired() throws {
        #expect(try rule(#""minimumPinLength":8"#) == nil)
        #expect(try rule(#""pinRequired":false"#, #""printBlocked":true"#) == nil)
    }

    @Test("the defaults are four digits, five attempts, then a reset")
    func defaults() throws {
        #expect(try rule(#""pinRequired":true"#) == PINRule())
        #expect(
            try rule(
                #""pinRequired":true,"periodBeforePinReset":"P0D","minimumPinLength":null,"maximumPinRetries":5"#)?
                .period == nil)
    }

    @Test("the strictest rule counts, and a policy without pinRequired does not")
    func strictest() throws {
        let rule = try #require(
            try rule(
                #""pinRequired":true,"minimumPinLength":6,"maximumPinRetries":9,"periodBeforePinReset":"P90D""#,
                #""pinRequired":true,"pinCharacterSet":"alphanumericAndSymbol","previousPinBlockCount":3,"#
                    + #""appActionIfMaximumPinRetriesExceeded":"wipe","periodBeforePinReset":"P30D""#,
                #""pinRequired":false,"minimumPinLength":20,"simplePinBlocked":true,"maximumPinRetries":1"#))
        var expected = PINRule()
        (expected.kind, expected.minimumLength, expected.previousBlocked) = (.passcode, 6, 3)
        (expected.wipeAfter, expected.period) = (5, .days(30))
        #expect(rule == expected)
    }

    @Test("invalid values are the strictest but never wipe, and no number overflows")
    func odd() throws {
        let rule = try #require(
            try rule(
                #""pinRequired":"yes","minimumPinLength":-3,"maximumPinRetries":99999999,"#
                    + #""pinCharacterSet":"emoji","periodBeforePinReset":"-P1D","previousPinBlockCount":1.5,"#
                    + #""simplePinBlocked":0,"appActionIfMaximumPinRetriesExceeded":"x""#))
        #expect(rule.minimumLength == 65_535 && rule.maximumAttempts == 1 && rule.kind == .passcode)
        #expect(rule.period == .seconds(1) && rule.previousBlocked == 24 && rule.isSimpleBlocked)
        // A value that is not understood never wipes.
        #expect(rule.wipeAfter == nil && rule.retryLimitAction == .reset)
    }

    @Test("a wipe follows the attempts of its own policy, not those of another")
    func pairs() throws {
        func limits(_ texts: (Int, String)...) throws -> (Int, Int?)? {
            let documents = try texts.enumerated().map { number, text in
                try PolicyDocument(
                    id: "p\(number)",
                    json: [
                        "pinRequired": true, "maximumPinRetries": .integer(Int64(text.0)),
                        "appActionIfMaximumPinRetriesExceeded": .string(text.1),
                    ])
            }
            return EffectivePolicy(merging: documents).pinRule.map { ($0.maximumAttempts, $0.wipeAfter) }
        }
        #expect(try #require(try limits((3, "block"), (10, "wipe"))) == (3, 10))
        #expect(try #require(try limits((10, "block"), (3, "wipe"))) == (3, 3))
        #expect(try #require(try limits((7, "wipe"), (9, "wipe"), (8, "block"))) == (7, 7))
        #expect(try #require(try limits((3, "block"), (4, "warn"))) == (3, nil))
    }

    @Test("is a lattice: commutative, idempotent, and never looser with another policy")
    func lattice() throws {
        var random = Seeded(8)
        func one() -> PINRule {
            var rule = PINRule()
            rule.kind = random.one(of: [.numeric, .passcode])
            rule.minimumLength = random.one(of: [1, 4, 6])
            rule.isSimpleBlocked = Bool.random(using: &random)
            rule.maximumAttempts = random.one(of: [1, 5, 9])
            rule.wipeAfter = random.one(of: [nil, rule.maximumAttempts])
            rule.period = random.one(of: [nil, .days(1), .days(9)])
            rule.previousBlocked = random.one(of: [0, 2, 24])
            return rule
        }
        for _ in 0..<1000 {
            let (a, b, c) = (one(), one(), one())
            #expect(PINRule.stricter(a, b) == .stricter(b, a) && PINRule.stricter(a, a) == a)
            #expect(PINRule.stricter(a, .stricter(b, c)) == .stricter(.stricter(a, b), c))
            let both = PINRule.stricter(a, b)
            #expect(both.maximumAttempts <= min(a.maximumAttempts, b.maximumAttempts))
            // The merged rule wipes at the earliest number of attempts of the two, and never earlier.
            #expect([a.wipeAfter, b.wipeAfter].contains(both.wipeAfter))
            #expect([a, b].compactMap(\.wipeAfter).allSatisfy { (both.wipeAfter ?? .max) <= $0 })
            for pin in ["1397", "1111", "ab12!", "q7!kz9"] {
                let (single, both) = (violations(a, pin), violations(.stricter(a, b), pin))
                #expect(single.filter { $0 != .notDigits }.isEmpty || !both.isEmpty)
            }
        }
    }

    private func violations(_ rule: PINRule, _ pin: String) -> [PINViolation] {
        rule.violations(in: Array(pin.utf8).span, isNew: false)
    }
}

@Suite("the status of a PIN")
struct PINStatusTests {
    private let day = Instant(milliseconds: 1_800_000_000_000)
    private var rule: PINRule {
        var rule = PINRule()
        rule.period = .days(30)
        return rule
    }
    private func facts(failures: Int = 0, latest: Instant? = nil) -> PINFacts {
        PINFacts(setAt: day, latest: latest ?? day, failures: failures, lastCheck: nil)
    }
    private func state(_ facts: PINFacts, after span: TimeSpan) -> PINStatus.State {
        PINStatus(rule, isRequired: true, facts, now: day + span).state
    }

    @Test("a required PIN that does not exist must be set")
    func notSet() {
        #expect(PINStatus(rule, isRequired: true, .none, now: day).state == .notSet)
        #expect(PINStatus(rule, isRequired: false, .none, now: day).state == .notRequired)
        #expect(PINStatus(nil, isRequired: true, facts(), now: day).state == .notSet)
    }

    @Test("attempts are used up one by one, and a stricter policy takes some away")
    func exhausted() {
        let left = (0...6).map { PINStatus(rule, isRequired: true, facts(failures: $0), now: day).attemptsLeft }
        #expect(left == [5, 4, 3, 2, 1, 0, 0])
        #expect(state(facts(failures: 4), after: .seconds(0)) == .set)
        #expect(state(facts(failures: 5), after: .seconds(0)) == .exhausted)
        #expect(state(facts(failures: .max), after: .days(99)) == .exhausted)
    }

    @Test("it expires after its period, and setting the clock back does not extend it")
    func expiry() {
        #expect(state(facts(), after: .days(29)) == .set)
        #expect(state(facts(), after: .days(30)) == .expired)
        #expect(state(facts(latest: day + .days(31)), after: .days(1)) == .expired)
        #expect(state(facts(), after: TimeSpan(milliseconds: -86_400_000)) == .set)
        #expect(state(facts(), after: TimeSpan(milliseconds: -2 * 86_400_000)) == .expired)
        #expect(PINStatus(PINRule(), isRequired: true, facts(), now: day + .days(99_999)).state == .set)
        #expect(state(facts(), after: TimeSpan(milliseconds: .max)) == .expired)
    }

    @Test("a PIN that violates the current rule must be changed; for another rule it must be checked again")
    func tooWeak() {
        var weak = facts()
        weak.lastCheck = (rule.json, true)
        #expect(state(weak, after: .days(1)) == .tooWeak)
        var other = PINRule()
        other.minimumLength = 9
        weak.lastCheck = (other.json, true)
        #expect(state(weak, after: .days(1)) == .set)
    }
}
