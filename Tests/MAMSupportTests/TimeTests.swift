import MAMSupport
import Testing

@Suite("Time")
struct TimeTests {
    @Test(
        "RFC 3339 both ways",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2026-11-21T09:30:00.123Z", 1_795_253_400_123),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("1969-12-31T23:59:59.001Z", -999),
        ] as [(String, Int64)])
    func rfc3339(_ text: String, _ milliseconds: Int64) {
        #expect(Instant(milliseconds: milliseconds).rfc3339 == text)
        #expect(Instant(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test func offsetsCount() {
        #expect(Instant(rfc3339: "2017-01-01T00:02:43.5775965-08:00") == Instant(rfc3339: "2017-01-01T08:02:43.577Z"))
    }

    @Test(
        "an invalid time is refused",
        arguments: [
            "", "2026-11-21", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00", "x",
        ])
    func badTimes(_ text: String) { #expect(Instant(rfc3339: text) == nil) }

    @Test(
        "ISO 8601 durations as exports write them",
        arguments: [
            ("PT12H", 43_200_000), ("PT720M", 43_200_000), ("P90D", 7_776_000_000), ("P1DT2H3M4.5S", 93_784_500),
            ("P2W", 1_209_600_000),
            ("PT0S", 0), ("P0D", 0), ("-PT17.1357909S", -17_135), ("PT35.0018757S", 35_001),
            ("-PT3M22.1587532S", -202_158), ("PT0.0000001S", 1), ("-PT0.0001S", -1),
        ] as [(String, Int64)])
    func durations(_ text: String, _ milliseconds: Int64) {
        #expect(TimeSpan(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(
        "an invalid duration is refused",
        arguments: [
            "", "P", "PT", "12:00:00", "P1Y", "P1M", "PT1H1H", "PT1S1M", "PT1.5H", "PT99999999999999999999S",
            "P9999999999999D", "PT-1H", "P1DT",
        ])
    func badDurations(_ text: String) { #expect(TimeSpan(iso8601: text) == nil) }

    @Test func durationsAreWrittenShort() {
        #expect(TimeSpan.minutes(30).iso8601 == "PT30M")
        #expect(TimeSpan.hours(36).iso8601 == "P1DT12H")
        #expect(TimeSpan(milliseconds: -1500).iso8601 == "-PT1.5S")
        #expect(TimeSpan(milliseconds: 0).iso8601 == "PT0S")
    }

    @Test func arithmeticStopsAtTheEnds() {
        #expect(Instant(milliseconds: .max) + .days(1) == Instant(milliseconds: .max))
        #expect(TimeSpan.days(.max).milliseconds == .max)
        #expect(Instant(milliseconds: .max) - Instant(milliseconds: .min) == TimeSpan(milliseconds: .max))
    }
}
