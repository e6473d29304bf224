import MAMPolicy
import MAMSupport
import Testing

@Suite("clocks that are set, and computers that are switched off, at random")
struct ClockWalkTests {
    private static let hour: Int64 = 3_600_000

    /// Ten thousand walks; each is some weeks of somebody's computer.
    @Test("access that the policy closed opens by a check-in alone, and nothing is wiped before its time")
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
            var desk = ClockDesk()
            var timer = OfflineTimer(checkIn: desk.reading)
            var checkedIn: Int64 = 0
            var isClosed = false
            var isHonest = true  // the time of day was right, or ahead, at each start since the check-in
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: desk.wait(Int64.random(in: 0...(8 * Self.hour), using: &random))
                case 3: desk.set(by: Int64.random(in: 0...(20 * 24 * Self.hour), using: &random))
                case 4: desk.set(by: -Int64.random(in: 0...(20 * 24 * Self.hour), using: &random))
                case 5: desk.set(by: -desk.ahead)
                case 6:
                    desk.reboot(after: Int64.random(in: 0...(20 * Self.hour), using: &random))
                case 7:
                    timer = OfflineTimer(checkIn: desk.reading)
                    (checkedIn, isClosed, isHonest) = (desk.truth, false, desk.ahead >= 0)
                default: break
                }
                let now = desk.reading
                let truth = desk.truth - checkedIn
                let elapsed = timer.elapsed(at: now)
                var facts = LaunchFacts.fine
                facts.offline = elapsed
                let isBlocked = policy.launch(facts).findings.contains { $0.check == "offline" }
                #expect(!isClosed || isBlocked, "walk \(walk): opened again without a check-in")
                if isBlocked != isClosed { closings += 1 }
                // Within a boot nothing but time itself counts; the time of day is not asked.
                if now.boot == timer.checkIn.boot { #expect(elapsed.milliseconds == truth, "walk \(walk)") }
                isHonest = isHonest && desk.ahead == 0
                if isHonest {
                    #expect(elapsed.milliseconds == truth, "walk \(walk): with a right clock time is what it is")
                }
                // The authority refuses just now: what is removed, was removed in its time by the clock as it stands.
                let certain = timer.certain(at: now)
                if let period = policy.offlineWipePeriod, certain > period {
                    refusals += 1
                    #expect(
                        truth > period.milliseconds || desk.reading.time - timer.checkIn.time > period, "walk \(walk)")
                }
                #expect(certain <= elapsed || certain == elapsed, "walk \(walk)")
                if Bool.random(using: &random) {
                    timer.note(now)
                    isClosed = isBlocked
                    #expect(timer.elapsed(at: now) == elapsed, "noting a time changes it")
                }
            }
        }
        #expect(closings > 1000 && refusals > 1000, "the walks meet what they are about")
    }

    @Test("a clock set ahead and back locks nobody out for longer than the policy's own period after a check-in")
    func aheadAndBack() {
        var desk = ClockDesk()
        desk.set(by: 400 * 24 * Self.hour)
        var timer = OfflineTimer(checkIn: desk.reading)
        desk.set(by: -400 * 24 * Self.hour)
        desk.reboot(after: Self.hour)
        desk.wait(Self.hour)
        #expect(timer.elapsed(at: desk.reading) == .hours(1))
        timer.note(desk.reading)
        desk.set(by: 400 * 24 * Self.hour)
        timer.note(desk.reading)
        desk.set(by: -400 * 24 * Self.hour)
        timer = OfflineTimer(checkIn: desk.reading)
        desk.wait(11 * Self.hour)
        #expect(timer.elapsed(at: desk.reading) == .hours(11))
    }

    @Test("a check-in of which the boot was not kept counts by the time of day")
    func unknownBoot() {
        let then = ClockReading(time: Instant(milliseconds: 1000), sinceBoot: .seconds(0), boot: "")
        let timer = OfflineTimer(checkIn: then)
        let now = ClockReading(time: Instant(milliseconds: 61_000), sinceBoot: .days(9), boot: "b")
        #expect(timer.elapsed(at: now) == .minutes(1))
    }

    @Test("what a person has shown holds until nobody has used it for the period, whatever is done to the time of day")
    func access() {
        var desk = ClockDesk()
        let period = TimeSpan.minutes(30)
        var access = AccessRecord(active: desk.reading)
        #expect(!access.has(.credentials, within: period, at: desk.reading))
        access.note(.credentials, within: period, at: desk.reading)
        for _ in 0..<4 {
            desk.wait(29 * 60_000)
            #expect(access.has(.credentials, within: period, at: desk.reading))
            access.use(within: period, at: desk.reading)
        }
        desk.set(by: 30 * 24 * Self.hour)
        #expect(access.has(.credentials, within: period, at: desk.reading))
        desk.set(by: -60 * 24 * Self.hour)
        #expect(access.has(.credentials, within: period, at: desk.reading))
        desk.set(by: 30 * 24 * Self.hour)
        desk.reboot(after: 60_000)
        #expect(access.has(.credentials, within: period, at: desk.reading))  // it survives a reboot
        desk.set(by: -120_000)
        #expect(!access.has(.credentials, within: period, at: desk.reading))  // before the latest use: nobody knows
        desk.set(by: 120_000)
        #expect(AccessRecord(json: access.json) == access)
        desk.wait(29 * 60_000)
        #expect(!access.has(.credentials, within: period, at: desk.reading))
        access.use(within: period, at: desk.reading)
        #expect(!access.has(.credentials, within: period, at: desk.reading))  // what ran out does not come back
        access.note(.pin, within: period, at: desk.reading)
        #expect(
            access.has(.pin, within: period, at: desk.reading) && !access.demandsPIN(after: .hours(1), at: desk.reading)
        )
        desk.wait(Self.hour)
        #expect(access.demandsPIN(after: .hours(1), at: desk.reading))
        access.note(.biometrics, within: period, at: desk.reading)
        #expect(access.demandsPIN(after: .hours(1), at: desk.reading))
        #expect(!access.has(.pin, within: .seconds(0), at: desk.reading))
    }
}
