import MAMSupport

extension PropertyTable {
    /// The reply of `mam_policy_properties`: every property, in the order in which settings are reported.
    static var json: JSON { ["properties": .array(all.map(\.json))] }
}

extension PropertyDefinition {
    /// The status and note in this release, independent of a policy.
    private var summary: (status: String, note: String) {
        switch coverage {
        case .enforced(let note): ("enforced", note)
        case .later(let feature): ("notEnforced", feature)
        case .hostCheck: ("enforced", "checked by launches, in policies for this platform: docs/launch.md")
        case .libraryCheck: ("enforced", "checked by launches, in policies for linux: docs/launch.md")
        case .appCheck:
            (
                "enforced",
                "checked by launches, in policies for linux and in those whose apps name the app: docs/launch.md"
            )
        case .inapplicable(let why): (isDescriptive ? "descriptive" : "notApplicable", why)
        }
    }

    fileprivate var json: JSON {
        let (status, note) = summary
        let functions = PropertyTable.answers(of: self)
        return [
            "property": .string(name), "platforms": .strings(PropertyTable.platforms(of: self).map(\.name)),
            "status": .string(status), "note": .string(note),
            "shownBy": .strings(status == "enforced" ? functions : []),
            "waitsFor": .strings(status == "notEnforced" ? functions : []), "kind": .optional(kind?.name),
            "names": .strings(kind?.names ?? []), "neutral": neutral ?? .null, "strictest": kind?.strictest ?? .null,
            "absent": kind == nil ? .null : absent() ?? .null, "misread": kind?.standIn ?? .null,
            "wipes": .bool(PropertyTable.wiping.contains(name)),
        ]
    }
}
