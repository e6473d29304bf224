extension Instant {
    /// The time as "2026-11-21T09:30:00.000Z".
    public var rfc3339: String {
        var days = milliseconds / 86_400_000
        var rest = milliseconds % 86_400_000
        if rest < 0 {
            rest += 86_400_000
            days -= 1
        }
        let (year, month, day) = Instant.civil(days: days)
        var text = decimalDigits(year, width: 4)
        for (mark, number, width) in [
            ("-", month, 2), ("-", day, 2), ("T", rest / 3_600_000, 2), (":", rest / 60_000 % 60, 2),
            (":", rest / 1000 % 60, 2), (".", rest % 1000, 3),
        ] {
            text += mark.utf8
            text += decimalDigits(number, width: width)
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// A point in time from RFC 3339 text with any offset; nil for malformed text.
    public init?(rfc3339 text: String) {
        let b = Array(text.utf8)
        func number(_ from: Int, _ count: Int) -> Int64? {
            guard from + count <= b.count else { return nil }
            var value: Int64 = 0
            for byte in b[from..<(from + count)] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard b.count >= 20, b[4] == UInt8(ascii: "-"), b[7] == UInt8(ascii: "-"), b[10] | 0x20 == UInt8(ascii: "t"),
            b[13] == UInt8(ascii: ":"), b[16] == UInt8(ascii: ":"),
            let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            (1...12).contains(month), day >= 1, day <= Instant.days(inMonth: month, of: year),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var at = 19
        var fraction: Int64 = 0
        if b[at] == UInt8(ascii: ".") {
            at += 1
            var scale: Int64 = 100
            let start = at
            while at < b.count, let digit = number(at, 1) {
                fraction += digit * scale
                scale /= 10
                at += 1
            }
            guard at > start else { return nil }
        }
        guard at < b.count else { return nil }
        var offset: Int64 = 0
        if b[at] | 0x20 == UInt8(ascii: "z") {
            guard at + 1 == b.count else { return nil }
        } else {
            guard b[at] == UInt8(ascii: "+") || b[at] == UInt8(ascii: "-"), at + 6 == b.count,
                b[at + 3] == UInt8(ascii: ":"), let hours = number(at + 1, 2), let minutes = number(at + 4, 2),
                hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (b[at] == UInt8(ascii: "-") ? -1 : 1)
        }
        let seconds = Instant.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        self.init(milliseconds: (seconds - offset * 60) * 1000 + fraction)
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since the epoch of a Gregorian date, computed in years that begin in March.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(days: Int64) -> (Int64, Int64, Int64) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
