import MAMMessages
import MAMSupport

/// The field Retry-After, which nobody signed: seconds, or a date in the forms of RFC 9110.
package enum RetryAfter {
    /// A longer wait counts only where the authority has signed it.
    private static let longest = TimeSpan.hours(1)

    /// How long the reply asks to wait, an hour at most. A date is judged by the sender's own field Date, else by `now`. nil where it
    /// asks for no wait that is understood.
    package static func wait(_ fields: [MessageField], now: Instant) -> TimeSpan? {
        func last(_ name: String) -> String? { fields.last { $0.name == name }?.value }
        guard let text = last("retry-after") else { return nil }
        let wait: TimeSpan
        if let seconds = seconds(text) {
            wait = .seconds(seconds)
        } else if let date = Instant(httpDate: text) {
            wait = date - (last("date").flatMap(Instant.init(httpDate:)) ?? now)
        } else {
            return nil
        }
        return wait > .seconds(0) ? min(wait, longest) : nil
    }

    /// Digits alone; more of them than a number can have are a long wait.
    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return text.utf8.count <= 9 ? Int64(text) : 999_999_999
    }
}

extension Instant {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A point in time from a date of HTTP: "Sun, 06 Nov 1994 08:49:37 GMT", and the two older forms, "Sunday, 06-Nov-94 08:49:37 GMT"
    /// and "Sun Nov  6 08:49:37 1994"; nil for any other text.
    init?(httpDate text: String) {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = text.split { $0 == " " || $0 == "-" }.map(String.init)
        let (day, month, year, time): (String, String, String, String)
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        case 5 where !words[0].hasSuffix(","): (day, month, year, time) = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let number = Instant.months.firstIndex(of: month), let century = Instant.fourDigits(year),
            (1...2).contains(day.utf8.count)
        else { return nil }
        func two(_ text: String) -> String { text.utf8.count == 1 ? "0" + text : text }
        self.init(rfc3339: "\(century)-\(two(String(number + 1)))-\(two(day))T\(time)Z")
    }

    /// A year of two digits is one of 1970 to 2069.
    private static func fourDigits(_ year: String) -> String? {
        guard year.utf8.count == 2 else { return year.utf8.count == 4 ? year : nil }
        return Int(year).map { ($0 < 70 ? "20" : "19") + year }
    }
}
