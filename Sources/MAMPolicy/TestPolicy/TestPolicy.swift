import MAMSupport

/// A policy for one account from a property list instead of an authority, for development; docs/test-policies.md.
///
/// Mirrors MAMDebugSettings.plist of the Intune App SDK for iOS.
public struct TestPolicy: Sendable {
    /// A key that has no effect here.
    public struct Note: Sendable {
        /// The key.
        public let key: String
        /// The reason that it has no effect.
        public let note: String

        /// The form in the reply of `mam_diagnostics`.
        public var json: JSON { ["key": .string(key), "note": .string(note)] }
    }

    /// The id of the policy.
    public static let policyId = "test"
    private static let notedKeys = 100

    /// The master switch: while it is off, the file has no effect.
    public let isOn: Bool
    /// The account that the policy is for.
    public let account: Identity?
    /// The policy in the form of Microsoft Graph.
    public let policy: JSON
    /// Whether the account is wiped at each launch and resume.
    public let wipesAtLaunch: Bool
    /// The keys that have no effect.
    public let notes: [Note]

    /// Parses a settings bundle or its values. A misspelt key and an invalid value are errors.
    public init(_ list: PropertyList) throws(MAMError) {
        var values: [String: JSON] = [:]
        var notes: [Note] = []
        for (name, value) in try TestPolicy.entries(list) {
            guard let key = TestPolicyKey.named(name) else {
                guard !TestPolicyKey.isPrefixed(name), !TestPolicyKey.isOfGuides(name) else {
                    throw TestPolicy.error(name, "is no key of test policies; leave it out")
                }
                notes.append(Note(key: ForeignText.bounded(name, limit: 80), note: "no key of test policies"))
                continue
            }
            if let problem = key.problem(value) { throw TestPolicy.error(name, problem) }
            let json = value.json ?? .null
            // The Intune App SDK's file lists one key twice.
            if let other = values[key.name], other != json { throw TestPolicy.error(name, "has two values") }
            if values.updateValue(json, forKey: key.name) == nil, let note = key.note {
                notes.append(Note(key: name, note: note))
            }
        }
        guard !values.isEmpty else { throw MAMError(.argument, "has no key of test policies") }
        let all = TestPolicyValues(stated: values)
        isOn = all.isTrue("DebugEnabled")
        let name = all.text("IntuneIdentityUPN")
        guard !name.isEmpty || !isOn else {
            throw TestPolicy.error(
                TestPolicyKey.prefix + "IntuneIdentityUPN", "is empty; name the account that the policy is for")
        }
        account = name.isEmpty ? nil : try Identity(account: name, argument: "IntuneIdentityUPN")
        policy = all.policy
        wipesAtLaunch = all.isTrue("DebugWipeOnLaunchResume")
        self.notes = Array(notes.prefix(TestPolicy.notedKeys))
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(
            .argument, "has \(ForeignText.bounded(key, limit: 80)), which \(what)",
            [("key", .string(ForeignText.bounded(key)))])
    }

    /// Returns the values of a settings bundle's fields, or of a plain dictionary.
    private static func entries(
        _ list: PropertyList
    ) throws(MAMError) -> [(key: String, value: PropertyList)] {
        guard let members = list.dictionary else {
            throw MAMError(.argument, "is a list of the type \(list.typeName); it must be a dictionary")
        }
        guard let specifiers = list["PreferenceSpecifiers"] else { return members }
        guard let fields = specifiers.array else { throw error("PreferenceSpecifiers", "must be an array") }
        var entries: [(key: String, value: PropertyList)] = []
        for field in fields {
            // Groups and titles have no key; a field without a value keeps its default.
            guard let key = field["Key"]?.string, let value = field["DefaultValue"] else { continue }
            entries.append((key, value))
        }
        return entries
    }
}
