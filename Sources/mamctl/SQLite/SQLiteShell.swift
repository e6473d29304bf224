import ArgumentParser
import CMam
import Glibc

/// `mamctl sqlite shell`
struct SQLiteShell: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Run SQL on an encrypted or a plain database.",
        discussion: """
            Runs the statements given, or those of standard input, and writes each row as a line, its columns separated \
            by |. The first failure ends it, except on a terminal.

            Example:
              mamctl sqlite shell --account ann@contoso.example notes.db 'SELECT * FROM notes'
              mamctl sqlite shell --account ann@contoso.example notes.db < changes.sql
            """)

    @OptionGroup var options: DatabaseOptions

    @Argument(help: "Statements (default: standard input).")
    var statements: [String] = []

    @OptionGroup var output: OutputOptions

    private static let name = "mam"
    private static let maximumInputLength = 64 << 20

    func run() throws {
        let account = try ProcessEnvironment.account(options.account)
        try Session.open(options.session, firstRun: .stores) { session in
            try session.checkInIfDue()
            let path = try options.checkOwner(account, session)
            try session.perform { mam_sqlite_vfs_register($0, SQLiteShell.name, account) }
            let database = try SQLiteDatabase(path, vfs: SQLiteShell.name)
            if !statements.isEmpty {
                for statement in statements { try database.run(statement, Output.line) }
            } else {
                try converse(database)
            }
        }
    }

    /// Run statements as they are completed.
    private func converse(_ database: SQLiteDatabase) throws {
        let isPerson = isatty(STDIN_FILENO) == 1
        var text = ""
        while true {
            if isPerson { Output.ask(text.isEmpty ? "mam> " : "...> ") }
            guard let line = readLine(strippingNewline: false) else { break }
            text += line
            guard text.utf8.count <= SQLiteShell.maximumInputLength else {
                throw CommandError.usage("a statement is longer than 64 MiB")
            }
            guard database.isComplete(text) else { continue }
            do { try database.run(text, Output.line) } catch let failure as CommandError where isPerson {
                if let message = failure.message { Output.complain(Text.clean(message)) }
            }
            text = ""
        }
        if !text.allSatisfy(\.isWhitespace) { try database.run(text, Output.line) }
    }
}
