extension TimeSpan {
    /// A length of time from ISO 8601 text, as in Graph exports: weeks, days, hours, minutes, seconds with a fraction, and a sign.
    /// Years and months are refused, because their length varies. nil for malformed text.
    public init?(iso8601 text: String) {
        var rest = Array(text.utf8)[...]
        var negative = false
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            negative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        guard rest.first == UInt8(ascii: "P"), rest.count <= 64 else { return nil }
        rest = rest.dropFirst()
        var total: Int64 = 0
        var inTime = false
        var lastUnit = -1
        var parts = 0
        while let byte = rest.first {
            if byte == UInt8(ascii: "T"), !inTime {
                inTime = true
                rest = rest.dropFirst()
                guard !rest.isEmpty else { return nil }
                continue
            }
            guard let whole = TimeSpan.number(&rest) else { return nil }
            var thousandths: Int64 = 0
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                guard let fraction = TimeSpan.fraction(&rest), rest.first == UInt8(ascii: "S") else { return nil }
                thousandths = fraction
            }
            guard let letter = rest.first else { return nil }
            rest = rest.dropFirst()
            let unit: (order: Int, milliseconds: Int64)
            switch (inTime, letter) {
            case (false, UInt8(ascii: "W")): unit = (0, 604_800_000)
            case (false, UInt8(ascii: "D")): unit = (1, 86_400_000)
            case (true, UInt8(ascii: "H")): unit = (2, 3_600_000)
            case (true, UInt8(ascii: "M")): unit = (3, 60_000)
            case (true, UInt8(ascii: "S")): unit = (4, 1000)
            default: return nil
            }
            guard unit.order > lastUnit else { return nil }
            lastUnit = unit.order
            let (product, tooLong) = whole.multipliedReportingOverflow(by: unit.milliseconds)
            let (withFraction, overflow) = product.addingReportingOverflow(thousandths)
            let (sum, overflowToo) = total.addingReportingOverflow(withFraction)
            guard !tooLong, !overflow, !overflowToo else { return nil }
            total = sum
            parts += 1
        }
        guard parts > 0 else { return nil }
        self.init(milliseconds: negative ? -total : total)
    }

    /// The shortest ISO 8601 text, such as "PT30M", "P90D", "PT1.5S" or "PT0S".
    public var iso8601: String {
        var rest = milliseconds.magnitude
        guard rest > 0 else { return "PT0S" }
        let days = rest / 86_400_000
        rest %= 86_400_000
        var text = milliseconds < 0 ? "-P" : "P"
        if days > 0 { text += "\(days)D" }
        guard rest > 0 else { return text }
        text += "T"
        if rest >= 3_600_000 { text += "\(rest / 3_600_000)H" }
        if rest / 60_000 % 60 > 0 { text += "\(rest / 60_000 % 60)M" }
        let seconds = rest % 60_000
        if seconds > 0 {
            var fraction = String(seconds % 1000)
            fraction = String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
            while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
            text += "\(seconds / 1000)\(fraction.isEmpty ? "" : "." + fraction)S"
        }
        return text
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        var any = false
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            let (tens, tooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !tooLong, !overflow else { return nil }
            value = sum
            any = true
            rest = rest.dropFirst()
        }
        return any ? value : nil
    }

    /// Thousandths of a second. A smaller nonzero fraction is rounded up to one, so that it is not taken for zero.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        var scale: Int64 = 100
        var any = false
        var isMore = false
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            let digit = Int64(byte - UInt8(ascii: "0"))
            if digit > 0 { isMore = true }
            value += digit * scale
            scale /= 10
            any = true
            rest = rest.dropFirst()
        }
        return any ? (value == 0 && isMore ? 1 : value) : nil
    }
}
