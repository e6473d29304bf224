import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("the validity of a launch's findings")
struct FindingsValidityTests {
    /// The facts about an account, except for the time.
    private struct Known {
        let policy: EffectivePolicy
        let timer: OfflineTimer
        let access: AccessRecord
        let pin: PINFacts
        let report: DeviceHealthReport

        /// Evaluates a launch as a session does.
        func look(at now: ClockReading) -> LaunchReport.Account {
            var facts = LaunchFacts.fine
            facts.timeSinceCheckIn = timer.elapsed(at: now)
            timer.limit(&facts.validity, at: now)
            let period = policy.recheckPeriod
            facts.hasSignedIn = access.has(.credentials, within: period, at: now)
            access.limit(&facts.validity, after: period, at: now)
            if let rule = policy.pinRule {
                let standing = PINStatus(rule, isRequired: true, pin, now: now.time)
                facts.pin =
                    standing.state == .expired ? .change : access.has(.pin, within: period, at: now) ? .nothing : .enter
                PINStatus.limit(&facts.validity, rule, pin, now: now.time)
            }
            facts.health = DeviceHealth(readings: [], report: report, time: now.time)
            facts.work = WorkStatus(facts.health, now: now)
            report.limit(&facts.validity, at: now)
            return policy.launchFindings(facts)
        }
    }

    private static let start: Int64 = 1_800_000_000_000
    private static let spans: [Int64] = [0, 1, 999, 59_999, 60_000, 1_800_000, 3_600_000, 7_200_000, 86_400_000]

    private func reading(_ random: inout Seeded) -> ClockReading {
        ClockReading(
            time: Instant(milliseconds: Self.start + random.one(of: Self.spans) - random.one(of: Self.spans)),
            sinceBoot: TimeSpan(milliseconds: random.one(of: Self.spans) + random.one(of: Self.spans)),
            boot: random.one(of: ["a", "a", "b", ""]))
    }

    private func known(_ random: inout Seeded) throws -> Known {
        let periods: [JSON] = ["PT1S", "PT1M", "PT30M", "PT1H", "PT2H", "P1D"]
        var members: [(key: String, value: JSON)] = [
            ("pinRequired", true), ("organizationalCredentialsRequired", true),
            ("appActionIfAccountIsClockedOut", "block"),
            ("deviceComplianceRequired", true), ("maximumAllowedDeviceThreatLevel", "low"),
        ]
        for name in [
            "periodOfflineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced", "periodOnlineBeforeAccessCheck",
            "periodBeforePinReset", "gracePeriodToBlockAppsDuringOffClockHours",
        ] { members.append((name, random.one(of: periods))) }
        var timer = OfflineTimer(checkIn: reading(&random))
        if Bool.random(using: &random) { timer.update(reading(&random)) }
        var access = AccessRecord(active: reading(&random))
        for proof in [AccessRecord.Method.pin, .credentials] where Bool.random(using: &random) {
            access.record(proof, within: .days(9), at: reading(&random))
        }
        let work = DeviceReading(name: WorkStatus.signal, random.one(of: [.ok, .fail, .fail]), source: "host")
        var report = DeviceHealthReport(
            app: "a", time: reading(&random).time, validFor: random.one(of: [nil, .minutes(1), .hours(1)]),
            threatLevel: .low, signals: [work])
        report.updateWorkStatus(nil, now: reading(&random))
        let set = reading(&random).time + random.one(of: [.seconds(0), .hours(24), .hours(25)])
        return Known(
            policy: EffectivePolicy(merging: [try PolicyDocument(id: "p", json: .object(members))]), timer: timer,
            access: access, pin: PINFacts(setAt: set, latest: reading(&random).time, failures: 0, lastCheck: nil),
            report: report)
    }

    private func told(_ found: LaunchReport.Account) -> [String] {
        found.findings.map { "\($0.action.rawValue) \($0.check) \($0.message)" }
    }

    @Test("within the validity another launch finds the same, and changes occur outside of it")
    func holds() throws {
        var random = Seeded(41)
        var changes = 0
        for round in 0..<2000 {
            let known = try known(&random)
            let now = reading(&random)
            let found = known.look(at: now)
            let span = found.validity.span.milliseconds
            #expect(span > 0 && span <= 60_000, "round \(round)")
            for _ in 0..<4 {
                let byClock = random.one(of: [0, span - 1, Int64.random(in: 0..<span, using: &random)])
                let byBoot = random.one(of: [0, span - 1, Int64.random(in: 0..<span, using: &random)])
                let later = ClockReading(
                    time: now.time + TimeSpan(milliseconds: byClock),
                    sinceBoot: TimeSpan(milliseconds: now.sinceBoot.milliseconds + byBoot), boot: now.boot)
                #expect(found.validity.covers(later, since: now))
                #expect(told(known.look(at: later)) == told(found), "round \(round): \(span), \(byClock), \(byBoot)")
            }
            let after = ClockReading(
                time: now.time + TimeSpan(milliseconds: span),
                sinceBoot: TimeSpan(milliseconds: now.sinceBoot.milliseconds + span), boot: now.boot)
            #expect(!found.validity.covers(after, since: now))
            if told(known.look(at: after)) != told(found) { changes += 1 }
        }
        #expect(changes > 300, "it often ends where something changes: \(changes)")
    }

    @Test("a clock set back, another boot or a jump ahead end it, also at the ends of the range")
    func covers() {
        let now = ClockReading(time: Instant(milliseconds: 5000), sinceBoot: .seconds(5), boot: "a")
        let validity = FindingsValidity()
        func covers(_ time: Int64, _ sinceBoot: Int64, _ boot: String = "a") -> Bool {
            validity.covers(
                ClockReading(
                    time: Instant(milliseconds: time), sinceBoot: TimeSpan(milliseconds: sinceBoot), boot: boot),
                since: now)
        }
        #expect(covers(5000, 5000) && covers(64_999, 64_999))
        #expect(!covers(4999, 5000) && !covers(5000, 4999) && !covers(5000, 5000, "b"))
        #expect(!covers(65_000, 5000) && !covers(5000, 65_000) && !covers(.min, 5000) && !covers(.max, .max))
    }

    @Test("a negative time since boot counts as zero")
    func belowZero() {
        let reading = ClockReading(time: Instant(milliseconds: 1), sinceBoot: .seconds(-9), boot: "a")
        #expect(reading.sinceBoot == .seconds(0))
        #expect(OfflineTimer(checkIn: reading).elapsed(at: reading) == .seconds(0))
    }
}
