import MAMPolicy
import MAMSupport

/// A simulated failure, for testing programs.
package enum Fault: String, Sendable, CaseIterable {
    case network, timeout, parsing, `internal`, gone

    /// The failure that the app receives.
    package func failure(of request: AuthorityRequest) -> AuthorityFailure {
        let code: StatusCode =
            switch self {
            case .network: request.networkFailure
            case .timeout: .timeout
            case .parsing: .parsingFailure
            case .internal: .internalError
            case .gone: .policyRecordGone
            }
        return AuthorityFailure(code, "The authority fails on purpose (fault \"\(rawValue)\")")
    }
}

extension Store {
    /// The fault that applies to a request; counted down where the file is writable.
    package func consumeFault(_ request: AuthorityRequest) throws(MAMError) -> Fault? {
        let found = try database.first(
            "SELECT row, fault, count FROM faults WHERE operation IS NULL OR operation = ? ORDER BY row LIMIT 1",
            .text(request.rawValue)
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
