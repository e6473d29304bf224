import MAMSupport

/// All that came of a load: requests by call and outcome, how long they took, and what must not have happened.
public struct LoadResults: Sendable {
    /// Requests by "call outcome".
    public private(set) var requests: [String: Int] = [:]
    /// How long requests took that the service answered.
    public private(set) var latencies = Latencies()
    /// The latest that a request was sent behind its time because this program could not keep up, in milliseconds of the simulated clock.
    public private(set) var lag: Int64 = 0
    /// Replies whose signature was verified.
    public private(set) var verified = 0
    /// Replies that were wrong, and registrations that the service has forgotten.
    public private(set) var wrong = 0, lost = 0
    var wipes = WipeLedger()

    /// Nothing yet.
    public init() {}

    /// The number of requests.
    public var count: Int { requests.values.reduce(0, +) }

    /// Whether nothing was lost, doubled or wrong.
    public var isSound: Bool { wrong == 0 && lost == 0 && wipes.unexpected == 0 && wipes.waiting.isEmpty }

    mutating func note(_ call: LoadedComputer.Request.Call, _ outcome: LoadedComputer.Outcome, of computer: Int) {
        requests["\(call.rawValue) \(outcome.name)", default: 0] += 1
        switch outcome {
        case .wrong: wrong += 1
        case .gone: lost += 1
        case .wipe(let wipe): wipes.deliver(wipe, to: computer)
        case .reported(let wipe): wipes.report(wipe, of: computer)
        default: break
        }
    }

    mutating func note(microseconds: Double, isVerified: Bool, lag: Int64) {
        latencies.note(microseconds: microseconds)
        if isVerified { verified += 1 }
        self.lag = max(self.lag, lag)
    }

    /// The results as JSON.
    public var json: JSON {
        [
            "requests": .object(requests.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) }),
            "count": .integer(Int64(count)), "verified": .integer(Int64(verified)),
            "milliseconds": latencies.json, "lag": .integer(lag),
            "wipes": [
                "requested": .integer(Int64(wipes.requested)), "delivered": .integer(Int64(wipes.deliveredCount)),
                "reported": .integer(Int64(wipes.reported)), "unreported": .integer(Int64(wipes.waiting.count)),
                "unexpected": .integer(Int64(wipes.unexpected)),
            ],
            "wrong": .integer(Int64(wrong)), "lost": .integer(Int64(lost)), "sound": .bool(isSound),
        ]
    }

    /// The results as lines for people.
    public var lines: [String] {
        let named = requests.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        func ms(_ share: Double) -> String { "\((latencies.milliseconds(share) * 10).rounded() / 10) ms" }
        return ["\(count) requests, \(verified) replies verified"] + named + [
            "answered within \(ms(0.5)) (half), \(ms(0.99)) (99 of 100), \(ms(1)) (all)",
            "wipes: \(wipes.requested) requested, \(wipes.deliveredCount) delivered, \(wipes.reported) reported, "
                + "\(wipes.waiting.count) not reported, \(wipes.unexpected) that nobody requested",
            "wrong replies: \(wrong), registrations lost: \(lost)",
        ]
    }
}

extension LoadedComputer.Outcome {
    /// Whether the service answered.
    public var isAnswer: Bool {
        switch self {
        case .unanswered, .behind, .refused("busy"): false
        default: true
        }
    }

    /// The name in results.
    var name: String {
        switch self {
        case .enrolled: "enrolled"
        case .unchanged: "unchanged"
        case .changed: "changed"
        case .wipe: "wipe"
        case .reported: "reported"
        case .behind: "behind"
        case .gone: "gone"
        case .wrong: "wrong"
        case .refused(let name): name
        case .unanswered(let reason): "unanswered (\(reason))"
        }
    }
}
