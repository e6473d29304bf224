import ArgumentParser

/// Which authority a command works on. The only place that asks libmam to administer one.
struct AuthorityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The authority's file (default: $MAM_AUTHORITY).", valueName: "file"), completion: .file())
    var authority: String?

    @OptionGroup var output: OutputOptions

    /// Do one action and give libmam's reply.
    func request(_ action: String, _ keys: KeyValuePairs<String, JSON?>) throws -> String {
        let members = [JSON.Member(key: "action", value: .string(action))] + JSON.members(keys).members
        return try Library.administer(path(), JSON.object(members).text)
    }

    /// Which file it is.
    func path() throws -> String {
        guard let path = try authority ?? Surroundings.variable("MAM_AUTHORITY") else {
            throw Failure.usage("which authority? Give --authority FILE or set MAM_AUTHORITY")
        }
        return try Surroundings.absolutePath(path)
    }

    /// Do one action and show its reply.
    func perform(
        _ action: String, _ keys: KeyValuePairs<String, JSON?>, _ render: (JSON) throws -> [String]
    ) throws {
        try output.show(request(action, keys), render)
    }

    /// Do one action that changes something and say so in one line.
    func change(_ action: String, _ keys: KeyValuePairs<String, JSON?>, _ line: (JSON) -> String) throws {
        try perform(action, keys) { [line($0)] }
    }

    /// Do one action and show the list in its reply as a table.
    func list(
        _ action: String, _ keys: KeyValuePairs<String, JSON?> = [:], of name: String, columns: [String]
    ) throws {
        try perform(action, keys) { Table($0[name].elements, keys: columns).lines(none: "no \(name)") }
    }
}
