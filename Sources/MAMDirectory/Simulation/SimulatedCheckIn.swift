import MAMPolicy
import MAMSupport

/// The reply that a check-in of a user in an app would get now.
struct SimulatedCheckIn {
    /// Why the check-in would be refused; an app then keeps the policy that it has.
    let refusal: StatusCode?
    /// The policies that reach the user, parsed.
    let policies: [PolicyDocument]
    let configurations: [AppConfiguration]
    let isDisabled: Bool

    init(of user: User, app: AppFacts, in store: Store) throws(MAMError) {
        switch try store.delivery(to: user, app: app) {
        case .refused(let failure):
            refusal = failure.code
            policies = []
            configurations = []
            isDisabled = !user.isEnabled
        case .granted(let reply):
            refusal = nil
            policies = try reply.policies.map { (record) throws(MAMError) in
                try PolicyDocument(id: record.id, json: record.document)
            }
            configurations = reply.configurations
            isDisabled = reply.isDisabled
        }
    }

    /// The policies, merged; without one nothing restricts the account.
    var effective: EffectivePolicy { EffectivePolicy(merging: policies) }

    /// Whether the authority would enroll the user, where a document targets them.
    var allowsEnrollment: Bool { refusal == nil && !isDisabled }

    private var code: StatusCode { refusal ?? (policies.isEmpty ? .noPolicyReceived : .newPoliciesReceived) }

    var json: JSON {
        [
            "delivers": .bool(refusal == nil), "code": .integer(Int64(code.rawValue)), "name": .string(code.name),
            "disabled": .bool(isDisabled), "message": .string(code.guidance),
            "userMessage": .string(Language.process.text(code.messageKey)),
            "messageKey": .string(code.messageKey.rawValue),
        ]
    }
}
