/// A kind of document that the authority targets: policies and app configurations have the same commands.
protocol TargetedDocuments: Sendable {
    /// The command, the key in requests, and how actions begin.
    static var command: String { get }
    /// One of them; the name of the argument.
    static var noun: String { get }
    /// The key of a list of them.
    static var plural: String { get }
    /// Several, in the commands' help.
    static var title: String { get }
    /// A file in examples.
    static var sample: String { get }
    /// What more the help of the commands says.
    static var importHelp: String { get }
    static var listHelp: String { get }
    static var showHelp: String { get }

    /// One line a document, from its summary.
    static func table(_ documents: [JSON]) -> [String]
    /// What is in one, from its summary.
    static func size(_ document: JSON) -> String
    /// The fields of a summary that 'show' begins with.
    static var fields: [String] { get }
    /// A row for each thing in a document, as `*.show` tells it.
    static func contents(_ document: JSON) -> Table
}

/// How documents read.
extension TargetedDocuments {
    static func action(_ name: String) -> String { "\(command).\(name)" }

    /// A document's id and name.
    static func name(_ document: JSON) -> String {
        "\(noun) \(Text.value(document["id"])) (\(Text.cut(Text.value(document["displayName"]), to: 60)))"
    }

    /// Whom a document reaches, in a line.
    static func reach(_ document: JSON) -> String {
        "\(name(document)) reaches \(users(document)) in \(applications(document))"
    }

    static func users(_ document: JSON) -> String {
        if document["tenantDefault"] == .bool(true) { return "everybody" }
        let groups = document["allUsers"] == .bool(true) ? [.string("all users")] : document["groups"].elements
        let excluded = document["excludedGroups"].elements
        let reached = groups.isEmpty ? "nobody" : Text.value(.array(groups))
        return excluded.isEmpty ? reached : "\(reached) but \(Text.value(.array(excluded)))"
    }

    static func applications(_ document: JSON) -> String {
        if document["tenantDefault"] == .bool(true) { return "all apps" }
        let all = document["allApps"] == .bool(true)
        return all ? "all apps" : document["apps"].elements.isEmpty ? "no app" : Text.value(document["apps"])
    }

    /// What the authority thinks a person should look at.
    static func warnings(_ reply: JSON) -> [String] {
        reply["warnings"].elements.map { warning in
            "warning: \(Text.value(warning["message"]))"
        }
    }
}
