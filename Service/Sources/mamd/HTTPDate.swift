import Foundation
import Synchronization

/// The field Date, written once a second.
enum HTTPDate {
    private static let latest = Mutex((second: time_t(-1), text: ""))

    /// The time now, such as "Sun, 06 Nov 1994 08:49:37 GMT".
    static var now: String {
        let second = time(nil)
        return latest.withLock { latest in
            if latest.second != second { latest = (second, text(of: second)) }
            return latest.text
        }
    }

    /// In the locale of C: nothing here calls setlocale.
    private static func text(of second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        return String(unsafeUninitializedCapacity: 64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                buffer.baseAddress.map { strftime($0, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts) } ?? 0
            }
        }
    }
}
