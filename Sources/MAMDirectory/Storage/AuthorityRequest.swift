import MAMPolicy

/// A request to the authority.
package enum AuthorityRequest: String, Sendable, CaseIterable {
    case enroll, checkIn, unenroll
    /// Only faults for all requests apply to it.
    case reportWipe

    /// The requests that a fault can be limited to.
    static let named = [enroll, checkIn, unenroll]

    /// Whether the reply changes what the app does, so that rows are verified first.
    package var isVerified: Bool { self != .reportWipe }

    /// The code for an authority that cannot be reached.
    package var networkFailure: StatusCode {
        self == .enroll ? .enrollmentEndPointNetworkFailure : .policyEndPointNetworkFailure
    }
}
