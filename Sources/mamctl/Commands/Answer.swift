import ArgumentParser
import CMam
import MAMValues

/// `mamctl answer`
struct Answer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a question of a following 'mamctl events'.",
        discussion: """
            A question lives in the process that asks it. 'mamctl events --follow --control PATH' prints its \
            questions as events with an id and listens at PATH; this command answers there, and fails as \
            libmam reports: no such question, answered before, too late. JSON null takes the question's default. A \
            secret is read from a file or standard input, never from the command line.

            Example:
              mamctl answer 7 '{"removed":true}' --control ~/.mam/control
              mamctl answer 8 --secret-file - --control ~/.mam/control <ann.token
              mamctl answer 9 --pinentry --control ~/.mam/control
            """)

    @Argument(help: "The question's id.")
    var id: Int64

    @Argument(help: "The answer; @FILE reads it from a file, - from standard input.")
    var answer: String?

    @Option(
        help: ArgumentHelp(
            "The answer to a question that takes a secret: a file, - for standard input. One newline at its end does "
                + "not count.", valueName: "file"))
    var secretFile: String?

    @Flag(help: "Have pinentry ask for the PIN that a question asks for.")
    var pinentry = false

    @Option(help: ArgumentHelp("The pinentry to run.", valueName: "program"), completion: .file())
    var pinentryProgram: String?

    @Flag(help: "With --pinentry: the question asks for a new PIN.")
    var new = false

    @Option(help: ArgumentHelp("Where 'mamctl events' listens (default: $MAM_CONTROL).", valueName: "path"))
    var control: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [answer != nil, secretFile != nil, asksPerson].filter({ $0 }).count == 1 else {
            throw ValidationError("give the answer's JSON, --secret-file or --pinentry, and one of them alone")
        }
        if new, !asksPerson { throw ValidationError("--new goes with --pinentry") }
    }

    private var asksPerson: Bool { pinentry || pinentryProgram != nil }

    func run() throws {
        let path = try Answer.path(control)
        var secret = try secretFile.map {
            try Input.secret($0, limit: QuestionDelegate.maximumTokenLength, name: "secret")
        }
        var json = try answer.map { try $0 == "-" ? Input.jsonFile($0) : Input.json($0, option: "the answer") }
        if asksPerson {
            let pins = PINSource(.pinentry(pinentryProgram ?? "pinentry"))
            let name = "question \(id)"
            switch new ? try pins.choose(for: name, rule: "") : try pins.enter(of: name) {
            case .pin(let pin): secret = pin
            case .forgot: json = .members(["forgot": .bool(true)])
            case .nothing: json = .null
            }
        }
        let reply = try ControlSocket.ask(
            path,
            .members([
                "id": .number(id),
                "answer": json,
                "secret": secret.map { .number($0.count) },
            ]), secret: secret)
        guard reply["status"] == 0 else {
            throw CommandError(exitStatus: .failed, message: reply["message"].string ?? "refused", json: reply.text)
        }
        try output.show(reply.text) { _ in ["question \(id) is answered"] }
    }

    /// The path of the socket, from the option or the environment.
    static func path(_ option: String?) throws -> String {
        guard let path = try option ?? ProcessEnvironment.variable("MAM_CONTROL") else {
            throw CommandError.usage("where does 'mamctl events' listen? Give --control PATH or set MAM_CONTROL")
        }
        return path
    }
}
