import MAMSupport

/// How long requests took, in steps of a twentieth: small whatever their number.
public struct Latencies: Sendable {
    private static let steps = 400
    private var counts = [Int](repeating: 0, count: steps)
    /// The number of requests.
    public private(set) var count = 0

    /// None yet.
    public init() {}

    /// Note a request that took this many microseconds.
    public mutating func note(microseconds: Double) {
        var (bound, step) = (10.0, 0)
        while bound < microseconds, step < Latencies.steps - 1 { (bound, step) = (bound * 1.05, step + 1) }
        counts[step] += 1
        count += 1
    }

    /// The milliseconds within which this share of the requests was answered; 0 without requests.
    public func milliseconds(_ share: Double) -> Double {
        let wanted = Int((Double(count) * share).rounded(.up))
        var (bound, seen) = (10.0, 0)
        for count in counts {
            seen += count
            if seen >= wanted { break }
            bound *= 1.05
        }
        return count == 0 ? 0 : bound / 1000
    }

    /// The percentiles that people look at.
    var json: JSON {
        .object(
            [("median", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999), ("longest", 1.0)].map { name, share in
                (name, .decimal("\((milliseconds(share) * 1000).rounded() / 1000)"))
            })
    }
}
