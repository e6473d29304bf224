import MAMPolicy
import MAMSupport

extension SimulatedCheckIn {
    /// The answer to each default request under the delivered policies; empty if the check-in is refused.
    var decisions: [JSON] {
        guard refusal == nil else { return [] }
        // Decisions compare tenants for equality only, so any name serves.
        let policy: AccountPolicy =
            policies.isEmpty ? .unmanaged : .managed(accountId: "", tenantId: "own", policy: effective.prepared)
        return SimulatedRequest.all.map { request in
            let peer: TransferPeer = if case .sameAccount = request.other { .sameAccount } else { .unknown }
            let decision = policy.decide(request.action, peer, device: DeviceFacts(lock: .unknown))
            let answer = decision.json(isRequirement: request.action.isRequirement, in: .process)
            return .object([("request", request.json)] + (answer.object ?? []))
        }
    }
}
