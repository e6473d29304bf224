import MAMPolicy
import MAMSupport

/// The test policy that `mam_open` was given; docs/test-policies.md.
struct GivenTestPolicy: Sendable {
    /// Its file.
    let path: String
    /// What is in it.
    let content: TestPolicy
    /// Its policy, read.
    private let document: PolicyDocument

    /// Read `testPolicy` for an app; nil where there is none.
    init?(_ reader: inout ObjectReader, app: String) throws(MAMError) {
        guard let path = try reader.string("testPolicy") else { return nil }
        let list = try PropertyList(path: path, setting: "testPolicy")
        self.path = path
        do throws(MAMError) { content = try TestPolicy(list) } catch {
            throw MAMError(
                error.code, "testPolicy: \(Line.bounded(path)) \(error.message)",
                [("setting", "testPolicy"), ("path", .string(path))] + error.detail)
        }
        document = try PolicyDocument(id: TestPolicy.policyId, json: content.policy, apps: [app])
    }

    /// The policy for an app with its cap.
    func policy(cap: EncryptionCap?) -> EffectivePolicy {
        EffectivePolicy(merging: [document], cap: cap, isTest: true)
    }

    /// Whether it is the policy of an account of these names; none while it is switched off.
    func isOf(_ folded: [[UInt8]]) -> Bool {
        content.isOn && content.account.map { folded.contains($0.folded) } == true
    }

    /// The shape of `mam_diagnostics`.
    var json: JSON {
        [
            "path": .string(path), "inForce": .bool(content.isOn), "account": .optional(content.account?.text),
            "policy": content.policy, "notes": .array(content.notes.map(\.json)),
        ]
    }
}
