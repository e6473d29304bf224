import ArgumentParser
import MAMValues

/// The option that selects an authority, and the only callers of mam_admin.
struct AuthorityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The authority's file (default: $MAM_AUTHORITY, else /var/lib/mam/authority.db).", valueName: "file"),
        completion: .file())
    var authority: String?

    @OptionGroup var output: OutputOptions

    /// Perform an action and return the reply.
    func request(_ action: String, _ keys: KeyValuePairs<String, JSON?>) throws -> String {
        let members = [("action", JSON.string(action))] + JSON.members(keys).members
        return try Library.administer(path(), JSON.object(members).text)
    }

    /// The path of the authority. A final value says where the accounts of this computer are from; `--authority` names the file to work
    /// on. Nothing else changes another authority than was meant.
    func path() throws -> String {
        if authority == nil, let (other, final) = try Configuration.overridden(.authority).first {
            throw CommandError.usage(
                "\(final.file ?? ""): authority is final: \(final.text), and \(other.origin) gives \(other.text);"
                    + " name the one to work on with --authority")
        }
        let path = try authority.map(ProcessEnvironment.absolutePath) ?? SessionOptions.authorityPath(nil)
        guard !SessionOptions.isService(path) else {
            _ = try SessionOptions.serviceSettings(path)
            throw CommandError.usage(
                "\(path) holds the settings of a service; its administrator names its socket, mamd.sock in its folder")
        }
        return path
    }

    /// Perform an action and show the reply.
    func perform(
        _ action: String, _ keys: KeyValuePairs<String, JSON?>, _ render: (JSON) throws -> [String]
    ) throws {
        try output.show(request(action, keys), render)
    }

    /// Perform a change and show one line about it.
    func change(_ action: String, _ keys: KeyValuePairs<String, JSON?>, _ line: (JSON) -> String) throws {
        try perform(action, keys) {
            LostPolicies.warn($0)
            return [line($0)]
        }
    }

    /// Perform a request for each of several values, and show one line about the last reply. Notes, and users who lose their last policy,
    /// go to standard error, except those that are in the JSON that is shown.
    func changes<Value>(
        _ values: [Value], _ request: (Value) throws -> String, line: (JSON) -> String
    ) throws {
        for (index, value) in values.enumerated() {
            let reply = try request(value)
            let isLast = index == values.count - 1
            if !output.json || !isLast { try Output.complain(notesOf: JSON(parsing: reply)) }
            if isLast { try output.show(reply) { [line($0)] } }
        }
    }

    /// Perform an action and show the list in its reply as a table.
    func list(
        _ action: String, _ keys: KeyValuePairs<String, JSON?> = [:], of name: String, columns: [String]
    ) throws {
        try perform(action, keys) {
            Output.complain(notesOf: $0)
            return Table($0[name].elements, keys: columns).lines(none: "no \(name)")
        }
    }
}
