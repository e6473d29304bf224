import ArgumentParser
import MAMValues

/// The output format of a command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print libmam's JSON, one object a line.")
    var json = false

    /// Print a reply as JSON, or as the lines that `render` returns.
    func show(_ reply: String, _ render: (JSON) throws -> [String]) throws {
        guard !json else { return try Output.line(reply) }
        for line in try render(JSON(parsing: reply)) { try Output.line(Text.clean(line)) }
    }

    /// Print a list: as JSON one element a line, else as the lines that `render` returns.
    func showList(_ reply: String, _ render: (JSON) throws -> [String]) throws {
        guard json else { return try show(reply, render) }
        for element in try JSON(parsing: reply).elements { try Output.line(element.text) }
    }

    /// The command that lets this user read the authority; nil where they may.
    private static func opening(_ session: SessionOptions) throws -> String? {
        let path = try SessionOptions.authorityPath(session.authority)
        if let secret = SecretFile(path) { return " \(path) \(secret.message)." }
        return AccessCommands.toReadAuthority(path).map { " This user may not read \(path): \($0)." }
    }

    /// The way to use an app in which no account is managed, where its name is questioned; empty where it is not.
    private static func using(_ session: SessionOptions?) -> String {
        guard let session, (try? session.checkMayBeNew()) == nil else { return "" }
        return " 'mamctl check', 'launch', 'protect' and their kin take an app without accounts with --new-app."
    }

    /// The way on where the authority does not take the user (203). Nobody signs in at a file, and no token makes a user known or enabled.
    private static func signingIn(_ status: JSON, _ session: SessionOptions?) throws -> String {
        let isService = try asksService(session)
        let name = Finding.quoted(status["identity"].string ?? status["accountId"].string ?? "UPN")
        switch status["messageKey"].string {
        case "statusDisabledUser":
            return isService ? "" : " The administrator's command: mamctl authority user set \(name) --enabled"
        case "statusUnknownUser":
            guard !isService else { return "" }
            return isThere(status, session)
                ? " The one who has the name now: mamctl unenroll \(name), then mamctl login \(name)"
                : " The administrator's command: mamctl authority user add \(name)"
        default:
            return isService
                ? " --token-file brings a token, --invite an invitation, --sign-in the person."
                : " --token-file brings a token."
        }
    }

    /// A service may demand an invitation or a token where an enrollment is gone (220); an authority in a file never does.
    private static func renewing(_ session: SessionOptions?) throws -> String {
        try asksService(session) ? " mamctl checkin --invite FILE brings an invitation, --token-file a token." : ""
    }

    /// Whether a session asks a service, as far as is known.
    private static func asksService(_ session: SessionOptions?) throws -> Bool {
        try session.map { SessionOptions.isService(try SessionOptions.authorityPath($0.authority)) } ?? true
    }

    /// Whether a user of the authority has the UPN of a status. Another one, with another account id, may have been refused.
    private static func isThere(_ status: JSON, _ session: SessionOptions?) -> Bool {
        guard let upn = status["identity"].string ?? status["accountId"].string,
            let path = try? SessionOptions.authorityPath(session?.authority)
        else { return false }
        return (try? Library.user(upn, of: path)) != nil
    }

    /// Print the status of an operation, and fail where it did not succeed. `success` replaces the message of a success.
    /// `session` selects the authority that was asked.
    func showStatus(_ reply: String, success: String? = nil, session: SessionOptions? = nil) throws {
        let status = try JSON(parsing: reply)
        let code = "\(status["name"].string ?? "unknown"), \(status["code"].text)"
        let succeeded = status["didSucceed"] == .bool(true)
        // libmam's message names the question accessToken; name the option that answers it.
        let hint =
            switch status["code"].text {
            case "203": try OutputOptions.signingIn(status, session)
            case "220": try OutputOptions.renewing(session)
            case "200", "225": OutputOptions.using(session)
            case "205": try session.flatMap(OutputOptions.opening) ?? ""
            default: ""
            }
        let description = status["message"].string.flatMap { $0.isEmpty ? nil : "\($0)\(hint) (\(code))" } ?? code
        let message = succeeded ? success ?? description : description
        let account = status["identity"].string ?? status["accountId"].string
        let line = account.flatMap { $0.isEmpty ? nil : "\($0): \(message)" } ?? message
        if json || succeeded { try show(reply) { _ in [line] } }
        guard succeeded else { throw CommandError.ended(line) }
    }
}
