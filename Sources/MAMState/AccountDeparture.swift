import MAMPolicy
import MAMSupport

/// How and when an account left its app. Each of its retired names records it, so that a host can ask by name.
public struct AccountDeparture: Sendable, Equatable {
    /// The reason of the wipe; nil if the account was unenrolled without one.
    public let wipe: WipeReason?
    /// The time at which its key was destroyed, or it was unenrolled.
    public let time: Instant

    /// A departure.
    public init(wipe: WipeReason?, time: Instant) { (self.wipe, self.time) = (wipe, time) }

    private static let unenrolled = "unenrolled"

    /// The stored form: the reason, or `unenrolled`; a space; the time in milliseconds.
    var text: String { "\(wipe?.rawValue ?? AccountDeparture.unenrolled) \(time.milliseconds)" }

    /// Read the stored form; nil for any other text.
    init?(text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let first = words.first, let time = words.last.flatMap({ Int64($0) }) else {
            return nil
        }
        let wipe = WipeReason(rawValue: String(first))
        guard wipe != nil || first == AccountDeparture.unenrolled else { return nil }
        self.init(wipe: wipe, time: Instant(milliseconds: time))
    }
}
