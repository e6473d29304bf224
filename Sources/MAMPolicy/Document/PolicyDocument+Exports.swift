import MAMSupport

extension PolicyDocument {
    /// The policies of an export: an object, an array, or `{"value":…}` around either. An error
    /// where there is none, or something else stands among them.
    public static func policies(in json: JSON) throws(MAMError) -> [JSON] {
        let inside = json["value"] ?? json
        let found: [JSON]
        switch inside {
        case .array(let elements): found = elements
        case .object: found = [inside]
        default: throw MAMError(.json, "a policy is a JSON object, not \(inside.typeName)")
        }
        guard !found.isEmpty else { throw MAMError(.json, "there is no policy in the document") }
        for (index, policy) in found.enumerated() where policy.object == nil {
            throw MAMError(.json, "policy \(index + 1) of the document is \(policy.typeName), not a JSON object")
        }
        return found
    }
}
