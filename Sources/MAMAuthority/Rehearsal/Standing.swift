import MAMPolicy
import MAMSupport

/// What the authority would give a user in an app at a check-in now.
struct Standing {
    /// Why it would give nothing; an app that has something keeps it.
    let refusal: StatusCode?
    /// The policies, read; none where none reaches.
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

    /// What the policies come to; where there is none, nothing restricts the account.
    var effective: EffectivePolicy { EffectivePolicy(merging: policies) }

    /// Whether who is not enrolled yet could be.
    var isWelcome: Bool { refusal == nil && !isDisabled }

    private var code: StatusCode { refusal ?? (policies.isEmpty ? .noPolicyReceived : .newPoliciesReceived) }

    var json: JSON {
        [
            "delivers": .bool(refusal == nil), "code": .integer(Int64(code.rawValue)), "name": .string(code.name),
            "disabled": .bool(isDisabled), "message": .string(code.guidance),
        ]
    }
}
