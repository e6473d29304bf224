import MAMPolicy
import MAMSupport
import Testing

@Suite("random clock changes and reboots")
struct ClockWalkTests {
    private static let hour: Int64 = 3_600_000

    /// Ten thousand walks, each of a few weeks on one computer.
    @Test("only a check-in reopens closed access, and nothing is wiped early")
    func walks() throws {
        var random = Seeded(2026)
        let policy = EffectivePolicy(
            merging: [
                try document(
                    "{\"periodOfflineBeforeAccessCheck\":\"PT12H\",\"periodOfflineBeforeWipeIsEnforced\":\"P5D\"}")
            ])
        var closings = 0
        var refusals = 0
        for walk in 0..<10_000 {
            var clocks = TestClocks()
            var timer = OfflineTimer(checkIn: clocks.reading)
            var checkedIn: Int64 = 0
            var isClosed = false
            var isClockRight = true  // whether the time of day was right or ahead at each boot since the check-in
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: clocks.wait(Int64.random(in: 0...(8 * Self.hour), using: &random))
                case 3: clocks.set(by: Int64.random(in: 0...(20 * 24 * Self.hour), using: &random))
                case 4: clocks.set(by: -Int64.random(in: 0...(20 * 24 * Self.hour), using: &random))
                case 5: clocks.set(by: -clocks.ahead)
                case 6:
                    clocks.reboot(after: Int64.random(in: 0...(20 * Self.hour), using: &random))
                case 7:
                    timer = OfflineTimer(checkIn: clocks.reading)
                    (checkedIn, isClosed, isClockRight) = (clocks.realTime, false, clocks.ahead >= 0)
                default: break
                }
                let now = clocks.reading
                let realTime = clocks.realTime - checkedIn
                let elapsed = timer.elapsed(at: now)
                var facts = LaunchFacts.fine
                facts.timeSinceCheckIn = elapsed
                let isBlocked = policy.launchFindings(facts).findings.contains { $0.check == "offline" }
                #expect(!isClosed || isBlocked, "walk \(walk): opened again without a check-in")
                if isBlocked != isClosed { closings += 1 }
                // Within a boot only the clock since boot counts, not the time of day.
                if now.boot == timer.checkIn.boot { #expect(elapsed.milliseconds == realTime, "walk \(walk)") }
                isClockRight = isClockRight && clocks.ahead == 0
                if isClockRight {
                    #expect(elapsed.milliseconds == realTime, "walk \(walk): with a right clock time is what it is")
                }
                // A refusal wipes only if the period has passed, really or by the current clock.
                let certain = timer.elapsedIfClockIsRight(at: now)
                if let period = policy.understoodWipePeriod, certain > period {
                    refusals += 1
                    #expect(
                        realTime > period.milliseconds || clocks.reading.time - timer.checkIn.time > period,
                        "walk \(walk)")
                }
                #expect(certain <= elapsed || certain == elapsed, "walk \(walk)")
                if Bool.random(using: &random) {
                    timer.update(now)
                    isClosed = isBlocked
                    #expect(timer.elapsed(at: now) == elapsed, "noting a time changes it")
                }
            }
        }
        #expect(closings > 1000 && refusals > 1000, "the walks meet what they are about")
    }

    @Test("after a check-in, a clock set ahead and back blocks no longer than the policy's period")
    func aheadAndBack() {
        var clocks = TestClocks()
        clocks.set(by: 400 * 24 * Self.hour)
        var timer = OfflineTimer(checkIn: clocks.reading)
        clocks.set(by: -400 * 24 * Self.hour)
        clocks.reboot(after: Self.hour)
        clocks.wait(Self.hour)
        #expect(timer.elapsed(at: clocks.reading) == .hours(1))
        timer.update(clocks.reading)
        clocks.set(by: 400 * 24 * Self.hour)
        timer.update(clocks.reading)
        clocks.set(by: -400 * 24 * Self.hour)
        timer = OfflineTimer(checkIn: clocks.reading)
        clocks.wait(11 * Self.hour)
        #expect(timer.elapsed(at: clocks.reading) == .hours(11))
    }

    @Test("a check-in without a stored boot id counts by the time of day")
    func unknownBoot() {
        let then = ClockReading(time: Instant(milliseconds: 1000), sinceBoot: .seconds(0), boot: "")
        let timer = OfflineTimer(checkIn: then)
        let now = ClockReading(time: Instant(milliseconds: 61_000), sinceBoot: .days(9), boot: "b")
        #expect(timer.elapsed(at: now) == .minutes(1))
    }

    @Test("authentications expire after the period without use, whatever the time of day")
    func access() {
        var clocks = TestClocks()
        let period = TimeSpan.minutes(30)
        var access = AccessRecord(active: clocks.reading)
        #expect(!access.has(.credentials, within: period, at: clocks.reading))
        access.record(.credentials, within: period, at: clocks.reading)
        for _ in 0..<4 {
            clocks.wait(29 * 60_000)
            #expect(access.has(.credentials, within: period, at: clocks.reading))
            access.use(within: period, at: clocks.reading)
        }
        clocks.set(by: 30 * 24 * Self.hour)
        #expect(access.has(.credentials, within: period, at: clocks.reading))
        clocks.set(by: -60 * 24 * Self.hour)
        #expect(access.has(.credentials, within: period, at: clocks.reading))
        clocks.set(by: 30 * 24 * Self.hour)
        clocks.reboot(after: 60_000)
        #expect(access.has(.credentials, within: period, at: clocks.reading))  // the record survives a reboot
        clocks.set(by: -120_000)
        #expect(!access.has(.credentials, within: period, at: clocks.reading))  // the time is before the latest use
        clocks.set(by: 120_000)
        #expect(AccessRecord(json: access.json) == access)
        clocks.wait(29 * 60_000)
        #expect(!access.has(.credentials, within: period, at: clocks.reading))
        access.use(within: period, at: clocks.reading)
        #expect(!access.has(.credentials, within: period, at: clocks.reading))  // expired methods stay expired
        access.record(.pin, within: period, at: clocks.reading)
        #expect(
            access.has(.pin, within: period, at: clocks.reading)
                && !access.requiresPIN(after: .hours(1), at: clocks.reading)
        )
        clocks.wait(Self.hour)
        #expect(access.requiresPIN(after: .hours(1), at: clocks.reading))
        access.record(.biometrics, within: period, at: clocks.reading)
        #expect(access.requiresPIN(after: .hours(1), at: clocks.reading))
        #expect(!access.has(.pin, within: .seconds(0), at: clocks.reading))
    }
}
