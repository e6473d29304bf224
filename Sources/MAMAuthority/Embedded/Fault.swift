import MAMPolicy
import MAMSupport

/// What an authority is asked to do.
enum Operation: String, Sendable, CaseIterable {
    case enroll, checkIn, unenroll
    /// No fault is set for it alone: one that hits every operation hits it too.
    case reportWipe

    /// Those that a fault can be set for.
    static let named = [enroll, checkIn, unenroll]

    /// Whether what it is answered changes what the app does: then rows are verified first.
    var isVerified: Bool { self == .enroll || self == .checkIn }

    /// The code for an authority that was not reached.
    var networkFailure: StatusCode {
        self == .enroll ? .enrollmentEndPointNetworkFailure : .policyEndPointNetworkFailure
    }
}

/// A failure that the authority plays, to test programs.
enum Fault: String, Sendable, CaseIterable {
    case network, timeout, parsing, `internal`, gone

    /// What the app gets to see.
    func failure(of operation: Operation) -> AuthorityFailure {
        let code: StatusCode =
            switch self {
            case .network: operation.networkFailure
            case .timeout: .timeout
            case .parsing: .parsingFailure
            case .internal: .internalError
            case .gone: .policyRecordGone
            }
        return AuthorityFailure(code, "The authority was told to fail (fault \"\(rawValue)\")")
    }
}

extension Store {
    /// The fault that hits an operation, counted where counting is possible.
    func takeFault(_ operation: Operation) throws(MAMError) -> Fault? {
        let found = try database.first(
            "SELECT row, fault, count FROM faults WHERE operation IS NULL OR operation = ? ORDER BY row LIMIT 1",
            .text(operation.rawValue)
        ) { (row: $0.integer(0), fault: $0.text(1) ?? "", count: $0.isNull(2) ? nil : $0.integer(2)) }
        guard let found, let fault = Fault(rawValue: found.fault) else { return nil }
        if let count = found.count, isWritable {
            if count > 1 {
                try database.run("UPDATE faults SET count = count - 1 WHERE row = ?", .integer(found.row))
            } else {
                try database.run("DELETE FROM faults WHERE row = ?", .integer(found.row))
            }
        }
        return fault
    }
}
