import MAMPolicy
import MAMSupport

/// The test policy given to `mam_open`; docs/test-policies.md.
struct GivenTestPolicy: Sendable {
    /// The path of its file.
    let path: String
    /// The content of the file.
    let content: TestPolicy
    /// Its policy as a document.
    private let document: PolicyDocument

    /// Read `testPolicy` for an app; nil if there is none.
    init?(_ reader: inout ObjectReader, app: String) throws(MAMError) {
        guard let path = try reader.string("testPolicy") else { return nil }
        let list = try PropertyList(path: path, setting: "testPolicy")
        self.path = path
        do throws(MAMError) { content = try TestPolicy(list) } catch {
            throw MAMError(
                error.code, "testPolicy: \(ForeignText.bounded(path)) \(error.message)",
                [("setting", "testPolicy"), ("path", .string(path))] + error.detail)
        }
        document = try PolicyDocument(id: TestPolicy.policyId, json: content.policy, apps: [app])
    }

    /// The policy under an app's cap on file protection.
    func policy(cap: EncryptionCap?) -> EffectivePolicy {
        EffectivePolicy(merging: [document], cap: cap, isTest: true)
    }

    /// Whether the test policy is switched on and names an account with one of these names.
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
