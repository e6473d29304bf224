import MAMSupport

extension EffectivePolicy {
    /// Returns the reply of `mam_policy_json`. `isManaged` is given where the name decides it.
    public func json(accountId: String, isManaged: Bool? = nil) -> JSON {
        let settings = mergedSettings
        return [
            "accountId": .string(accountId), "managed": .bool(isManaged ?? (isLockDown || !policies.isEmpty)),
            "lockDown": .bool(isLockDown),
            "policies": .array(
                policies.map {
                    ["id": .string($0.id), "name": .string($0.name), "platform": .string($0.platform.name)]
                }),
            "settings": .array(settings.map(\.json)),
            "conflicts": .array(settings.filter { !$0.conflict.isEmpty }.map(\.conflictJSON)),
            "source": policies.isEmpty ? .null : isTest ? "test" : "authority",
        ]
    }

    /// The settings that a policy sets and that are effective on this host, in the order of ``PropertyTable``.
    var mergedSettings: [MergedSetting] {
        PropertyTable.read.joined().compactMap { property in
            guard let kind = property.kind, property.isRead(on: .linux) else { return nil }
            if isLockDown { return MergedSetting(name: property.name, strictest: kind.strictest) }
            return MergedSetting(property, kind: kind, in: policies)
        }
    }
}

extension MergedSetting {
    fileprivate var json: JSON {
        let isCapped = origin?.capped.contains { $0.name == name } ?? false
        let members: [(key: String, value: JSON)] = [
            ("setting", .string(name)), ("value", value), ("policyId", .optional(origin?.id)),
            ("policyName", .optional(origin?.name)), ("alsoIn", .strings(alsoIn)),
        ]
        let misread = misreadIn
        return .object(
            members + (isCapped ? [("cappedBy", "MaxFileProtectionLevel")] : [])
                + (misread.isEmpty ? [] : [("misreadIn", .strings(misread))]))
    }

    fileprivate var conflictJSON: JSON {
        [
            "setting": .string(name),
            "values": .array(conflict.map { ["value": $0.value, "policyId": .string($0.policy.id)] }),
            "chosen": value,
        ]
    }
}
