import MAMValues

/// The documents of `mamctl authority config`.
enum Configurations: TargetedDocuments {
    static let command = "config"
    static let noun = "configuration"
    static let plural = "configurations"
    static let title = "app configurations"
    static let sample = "colors.json"
    static let fields = ["id", "displayName", "tenantDefault", "type", "import"]
    static let importHelp = ""
    static let listHelp = """
        The tenant default, of which there is one at the most, reaches everybody; its settings count where no other \
        configuration has them.
        """
    static let removeHelp = ""
    static let showHelp = "Each setting with its value. Long values are cut; --json has all of them."

    static func table(_ configurations: [JSON]) -> [String] {
        let titles = ["id", "name", "tenant default", "settings", "users", "apps"]
        let rows = configurations.map { configuration in
            ["id", "displayName", "tenantDefault", "settings"].map { Text.value(configuration[$0]) }
                + [users(configuration), applications(configuration)]
        }
        return Table(titles: titles, rows: rows).lines(none: "no configurations")
    }

    static func size(_ configuration: JSON) -> String {
        let count = Text.value(configuration["settings"])
        return count == "1" ? "1 setting" : "\(count) settings"
    }

    static func contents(_ configuration: JSON) -> Table {
        let rows = configuration["values"].members.map { [$0.key, Text.cut(Text.setting($0.value), to: 60)] }
        return Table(titles: ["setting", "value"], rows: rows)
    }
}
