import MAMSupport

/// Counts signed refusals: whoever provokes them must not buy a signature for each request.
struct SignedRefusalLimit: Sendable {
    private static let most = 100  // a second
    private var second: Int64 = 0
    private var count = 0

    /// Whether one more may be signed now.
    mutating func allows(_ now: Instant) -> Bool {
        let current = now.milliseconds / 1000
        if current != second { (second, count) = (current, 0) }
        count += 1
        return count <= SignedRefusalLimit.most
    }
}
