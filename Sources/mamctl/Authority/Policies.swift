import MAMValues

/// The documents of `mamctl authority policy`.
enum Policies: TargetedDocuments {
    static let command = "policy"
    static let noun = "policy"
    static let plural = "policies"
    static let title = "policies"
    static let sample = "strict.json"
    static let fields = ["id", "displayName", "platform", "type", "encryptsFiles", "import"]
    static let importHelp = "App configurations among the policies are imported with them. "
    static let listHelp = """
        "Enforced" counts the settings that libmam enforces; "other" those that do not apply here or that it does \
        not know, which 'show' names.
        """
    static let removeHelp =
        " A warning names the users whom it leaves without any policy, and --dry-run shows it before that."
    static let showHelp = """
        Each property of the export with its value and whether it is enforced, not applicable here or unknown. \
        Long values are cut; --json has all of them.
        """

    static func table(_ policies: [JSON]) -> [String] {
        let titles = ["id", "name", "platform", "enforced", "other", "users", "apps"]
        let rows = policies.map { policy in
            let counts = policy["counts"]
            return [
                Text.value(policy["id"]), Text.value(policy["displayName"]), Text.value(policy["platform"]),
                Text.value(counts["enforced"]),
                "\(Text.value(counts["notApplicable"]))+\(Text.value(counts["unknown"]))", users(policy),
                applications(policy),
            ]
        }
        return Table(titles: titles, rows: rows).lines(none: "no policies")
    }

    static func size(_ policy: JSON) -> String {
        let counts = policy["counts"]
        return ["enforced", "notApplicable", "unknown"].map { "\(Text.value(counts[$0])) \(statusText(.string($0)))" }
            .joined(separator: ", ") + (policy["encryptsFiles"] == .bool(false) ? "; files are not encrypted" : "")
    }

    static func contents(_ policy: JSON) -> Table {
        let rows = policy["properties"].elements.map {
            [
                Text.value($0["property"]), Text.cut(Text.setting($0["value"]), to: 40), statusText($0["status"]),
                Text.value($0["note"]),
            ]
        }
        return Table(titles: ["property", "value", "status", "note"], rows: rows)
    }

    /// The status of a property in words.
    private static func statusText(_ status: JSON) -> String {
        status.string == "notApplicable" ? "not applicable here" : Text.value(status)
    }
}
