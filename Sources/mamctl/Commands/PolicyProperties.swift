import ArgumentParser
import CMam
import MAMValues

extension Policy {
    /// `mamctl policy properties`
    struct Properties: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "properties",
            abstract: "List what policies can say, and what becomes of it.",
            discussion: """
                A property is enforced, not enforced by this release, not applicable here, or only describes the \
                policy. Nothing is read.

                Example:
                  mamctl policy properties printBlocked minimumPinLength
                """)

        @Argument(help: "Only these properties.")
        var properties: [String] = []

        @OptionGroup var output: OutputOptions

        func run() throws {
            let reply = try Library.text { mam_policy_properties($0) }
            let all = try JSON(parsing: reply)["properties"].elements
            let chosen = try properties.isEmpty ? all : properties.map { try Self.find($0, in: all) }
            let shown = properties.isEmpty ? reply : JSON.members(["properties": .array(chosen)]).text
            try output.show(shown) { _ in
                let rows = chosen.map { property in
                    [
                        Text.value(property["property"]), Text.value(property["status"]), Self.values(property),
                        Text.value(property["note"]),
                    ]
                }
                return Table(
                    titles: ["property", "", "neutral to strictest", "what it does here, or why nothing"], rows: rows
                )
                .lines
            }
        }

        private static func find(_ name: String, in all: [JSON]) throws -> JSON {
            guard let found = all.first(where: { $0["property"].string == name }) else {
                let question = NearestName.question(name, among: all.compactMap(\.["property"].string))
                throw CommandError.failed(
                    "no property of policies is called \"\(name)\".\(question)", status: MAM_ERR_NOT_FOUND)
            }
            return found
        }

        private static func values(_ property: JSON) -> String {
            switch property["kind"].string {
            case "flag", "level", "number", "minimumVersion", "maximumVersion":
                "\(Text.setting(property["neutral"])) to \(Text.setting(property["strictest"]))"
            default: ""
            }
        }
    }
}
