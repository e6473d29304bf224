import MAMMessages

extension Service {
    /// The field WWW-Authenticate of a refusal: the schemes of authorization that enroll, and for a token that does not count, why. Nobody
    /// signs it: it is for clients that read no problems, and for people.
    func challenge(_ problem: Problem) -> String {
        var schemes: [String] = []
        if let signIn {
            let strength = signIn.strength.parameters(isInsufficient: problem.reason == .insufficientAuthentication)
            let bound = problem.reason?.errorOfProof.map { ["error=\"\($0)\""] } ?? []
            if !signIn.boundTokensOnly { schemes.append(Service.scheme("Bearer", strength)) }
            let algorithms = ["algs=\"\(KeyProof.algorithm)\""]
            schemes.append(
                Service.scheme("DPoP", bound + (signIn.boundTokensOnly ? strength : []) + algorithms))
        }
        return (schemes + ["MAM-Invite"]).joined(separator: ", ")
    }

    private static func scheme(_ name: String, _ parameters: [String]) -> String {
        parameters.isEmpty ? name : "\(name) \(parameters.joined(separator: ", "))"
    }
}

extension TokenRefusal {
    /// The error about the proof of a token's key (RFC 9449), or about a token that has none; nil for other refusals.
    fileprivate var errorOfProof: String? {
        switch self {
        case .boundToKey, .badProof: "invalid_dpop_proof"
        case .notBound: "invalid_token"
        default: nil
        }
    }
}
