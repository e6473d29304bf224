import MAMValues

/// A kind of document that administrators target. Policies and app configurations have the same commands.
protocol TargetedDocuments: Sendable {
    /// The name of the command, the key in requests, and the prefix of actions.
    static var command: String { get }
    /// The noun for one document, and the name of the argument.
    static var noun: String { get }
    /// The key of lists in replies.
    static var plural: String { get }
    /// The plural in the commands' help.
    static var title: String { get }
    /// A file name for examples.
    static var sample: String { get }
    /// Text for the help of import, list, show and remove.
    static var importHelp: String { get }
    static var listHelp: String { get }
    static var showHelp: String { get }
    static var removeHelp: String { get }

    /// A table of summaries.
    static func table(_ documents: [JSON]) -> [String]
    /// The size of a document, from its summary.
    static func size(_ document: JSON) -> String
    /// The members of a summary that 'show' begins with.
    static var fields: [String] { get }
    /// A table of the contents that `*.show` replies.
    static func contents(_ document: JSON) -> Table
}

/// Text forms of summaries.
extension TargetedDocuments {
    static func action(_ name: String) -> String { "\(command).\(name)" }

    /// The id and name of a document.
    static func name(_ document: JSON) -> String {
        "\(noun) \(Text.value(document["id"])) (\(Text.cut(Text.value(document["displayName"]), to: 60)))"
    }

    /// The users and apps that a document reaches, on one line.
    static func reach(_ document: JSON) -> String {
        let (isAssigned, isTargeted) = (!groups(document).isEmpty, !targets(document).isEmpty)
        guard reachesAnybody(document) else {
            let (assigned, target) = (
                isAssigned ? users(document) : "no group", isTargeted ? applications(document) : "no app"
            )
            return "\(name(document)) reaches nobody: it is assigned to \(assigned) and targets \(target)"
        }
        return "\(name(document)) reaches \(users(document)) in \(applications(document))"
    }

    /// The text about a document that was removed.
    static func removed(_ document: JSON) -> String {
        let reached = "; it reached \(users(document)) in \(applications(document))"
        return "\(name(document)) removed\(reachesAnybody(document) ? reached : "")"
    }

    private static func reachesAnybody(_ document: JSON) -> Bool {
        !groups(document).isEmpty && !targets(document).isEmpty
    }

    static func users(_ document: JSON) -> String {
        let (groups, excluded) = (groups(document), document["excludedGroups"].elements)
        let reached = groups.isEmpty ? "nobody" : Text.value(.array(groups))
        return excluded.isEmpty ? reached : "\(reached) but \(Text.value(.array(excluded)))"
    }

    static func applications(_ document: JSON) -> String {
        let targets = targets(document)
        return targets.isEmpty ? "no app" : Text.value(.array(targets))
    }

    private static func groups(_ document: JSON) -> [JSON] {
        if document["tenantDefault"] == .bool(true) { return [.string("everybody")] }
        return document["allUsers"] == .bool(true) ? [.string("all users")] : document["groups"].elements
    }

    private static func targets(_ document: JSON) -> [JSON] {
        let isForAll = document["tenantDefault"] == .bool(true) || document["allApps"] == .bool(true)
        return isForAll ? [.string("all apps")] : document["apps"].elements
    }

    /// The warnings of a reply.
    static func warnings(_ reply: JSON) -> [String] {
        reply["warnings"].elements.map { warning in
            "warning: \(Text.value(warning["message"]))"
        }
    }
}
