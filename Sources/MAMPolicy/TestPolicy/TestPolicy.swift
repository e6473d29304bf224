import MAMSupport

/// The policy of one account from a property list instead of an authority, for development; docs/test-policies.md.
///
/// Mirrors MAMDebugSettings.plist of the original; semantics.md 2.
public struct TestPolicy: Sendable {
    /// A key that changes nothing here, and why.
    public struct Note: Sendable {
        /// The key.
        public let key: String
        /// Why.
        public let note: String

        /// The shape of `mam_diagnostics`.
        public var json: JSON { ["key": .string(key), "note": .string(note)] }
    }

    /// The name that its policy goes by.
    public static let policyId = "test"
    private static let notedKeys = 100

    /// Its master switch: while it is off, the file changes nothing.
    public let isOn: Bool
    /// Whose policy it is.
    public let account: Identity?
    /// The policy as Graph would write it.
    public let policy: JSON
    /// Whether the account is wiped at each launch and resume.
    public let wipesAtLaunch: Bool
    /// What in the file changes nothing.
    public let notes: [Note]

    /// Read a settings bundle or its values; a key that is misspelt or has a value it cannot have is an error.
    public init(_ list: PropertyList) throws(MAMError) {
        var values: [String: JSON] = [:]
        var notes: [Note] = []
        for (name, value) in try TestPolicy.statements(list) {
            guard let key = TestPolicyKey.named(name) else {
                guard !TestPolicyKey.isPrefixed(name), !TestPolicyKey.isOfGuides(name) else {
                    throw TestPolicy.error(name, "is no key of test policies; leave it out")
                }
                notes.append(Note(key: Line.bounded(name, limit: 80), note: "no key of test policies"))
                continue
            }
            if let problem = key.problem(value) { throw TestPolicy.error(name, problem) }
            let json = value.json ?? .null
            // The original lists one twice.
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
        account = name.isEmpty ? nil : try Identity(name, argument: "IntuneIdentityUPN")
        policy = all.policy
        wipesAtLaunch = all.isTrue("DebugWipeOnLaunchResume")
        self.notes = Array(notes.prefix(TestPolicy.notedKeys))
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.argument, "has \(Line.bounded(key, limit: 80)), which \(what)", [("key", .string(Line.bounded(key)))])
    }

    /// What a list says: the values of a settings bundle's fields, or the values by themselves.
    private static func statements(
        _ list: PropertyList
    ) throws(MAMError) -> [(key: String, value: PropertyList)] {
        guard let members = list.dictionary else {
            throw MAMError(.argument, "is a list of the type \(list.typeName); it must be a dictionary")
        }
        guard let specifiers = list["PreferenceSpecifiers"] else { return members }
        guard case .array(let fields) = specifiers else { throw error("PreferenceSpecifiers", "must be an array") }
        var statements: [(key: String, value: PropertyList)] = []
        for field in fields {
            // Groups and titles have no key; a field without a value has the one as shipped.
            guard case .string(let key) = field["Key"], let value = field["DefaultValue"] else { continue }
            statements.append((key, value))
        }
        return statements
    }
}
