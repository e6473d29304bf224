import MAMSupport

/// The wipes that were requested, and what became of each: none may be lost, none may reach a registration that nobody ordered to
/// wipe, or that has reported it.
struct WipeLedger: Sendable {
    private enum Order: Sendable {
        /// The administrator has asked, and was not answered yet. A wipe may come before the answer.
        case asked(delivered: Int64?)
        case ordered(Int64)
        /// The administrator was never answered: the wipe may be ordered or not.
        case unknown
    }

    private var orders: [Int: Order] = [:]
    private var delivered: Set<Int64> = []
    private var finished: Set<Int64> = []
    private(set) var requested = 0
    private(set) var unexpected = 0

    var deliveredCount: Int { delivered.count }
    var reported: Int { finished.count }

    /// The computers whose wipe was acknowledged to the administrator and is not reported.
    var waiting: [Int] {
        orders.compactMap { computer, order in
            if case .ordered = order { computer } else { nil }
        }
    }

    /// Whether a computer is among them.
    func isWaiting(_ computer: Int) -> Bool {
        if case .ordered = orders[computer] { true } else { false }
    }

    /// Whether a wipe is before a computer, or may be.
    func isOpen(_ computer: Int) -> Bool { orders[computer] != nil }

    /// The administrator asks for a wipe.
    mutating func ask(of computer: Int) { orders[computer] = .asked(delivered: nil) }

    /// The administrator got the answer that this wipe is ordered; nil: got none.
    mutating func answer(_ wipe: Int64?, of computer: Int) {
        guard let wipe else {
            orders[computer] = .unknown
            return
        }
        requested += 1
        if case .asked(let early?) = orders[computer], early != wipe { unexpected += 1 }
        orders[computer] = finished.contains(wipe) ? nil : .ordered(wipe)
    }

    /// A computer got a wipe. Until it has reported that, it may get it again.
    mutating func deliver(_ wipe: Int64, to computer: Int) {
        switch orders[computer] {
        case .asked(nil): orders[computer] = .asked(delivered: wipe)
        case .asked(wipe), .ordered(wipe), .unknown: break
        default: unexpected += 1
        }
        if finished.contains(wipe) { unexpected += 1 }
        delivered.insert(wipe)
    }

    /// The service has acknowledged a report.
    mutating func report(_ wipe: Int64, of computer: Int) {
        finished.insert(wipe)
        switch orders[computer] {
        case .ordered(wipe), .unknown: orders[computer] = nil
        default: break
        }
    }
}
