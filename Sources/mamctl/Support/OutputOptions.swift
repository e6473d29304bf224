import ArgumentParser

/// How a command prints what it found.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print libmam's JSON, one object a line.")
    var json = false

    /// Print a reply: as it is, or as the lines that `render` makes of it.
    func show(_ reply: String, _ render: (JSON) throws -> [String]) throws {
        guard !json else { return try Output.line(reply) }
        for line in try render(JSON(parsing: reply)) { try Output.line(Text.clean(line)) }
    }

    /// Print a list: one element a line, or as the lines that `render` makes of all.
    func showList(_ reply: String, _ render: (JSON) throws -> [String]) throws {
        guard json else { return try show(reply, render) }
        for element in try JSON(parsing: reply).elements { try Output.line(element.text) }
    }

    /// Print how an operation ended, where it did well in the words of `success`, and fail where it did not succeed.
    func showStatus(_ reply: String, success: String? = nil) throws {
        let status = try JSON(parsing: reply)
        let code = "\(status["name"].string ?? "unknown"), \(status["code"].text)"
        let succeeded = status["didSucceed"] == .bool(true)
        // libmam speaks of the question accessToken, which the option answers.
        let hint = status["code"].text == "203" ? " --token-file brings a token." : ""
        let told = status["message"].string.flatMap { $0.isEmpty ? nil : "\($0)\(hint) (\(code))" } ?? code
        let message = succeeded ? success ?? told : told
        let account = status["identity"].string ?? status["accountId"].string
        let line = account.flatMap { $0.isEmpty ? nil : "\($0): \(message)" } ?? message
        if json || succeeded { try show(reply) { _ in [line] } }
        guard succeeded else { throw Failure.ended(line) }
    }
}
