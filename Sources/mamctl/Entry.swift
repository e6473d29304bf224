import ArgumentParser
import Glibc

/// The entry point, and the only place that turns an error into a line of output and an exit status.
@main
enum Entry {
    static func main() {
        ProcessEnvironment.keepStandardStreams()
        ProcessEnvironment.ignoreWriteSignals()
        exit(run())
    }

    private static func run() -> Int32 {
        do {
            try ProcessEnvironment.checkArguments()
            let words = Array(CommandLine.arguments.dropFirst())
            if words == ["--version"] {
                try Output.line(Version.line)
            } else {
                var command = try command(words)
                try command.run()
            }
            return 0
        } catch let failure as CommandError {
            return report(failure)
        } catch {
            return answer(error)
        }
    }

    /// The parser describes every command before it reads a word. Scripts that only ask need not wait for that.
    private static func command(_ words: [String]) throws -> any ParsableCommand {
        if words.first == "check", let question = Check(words.dropFirst()) { return question }
        let command = try Mamctl.parseAsRoot(words)
        // The tree takes longer than most answers, so that it is made only where a word is there twice.
        let own = ProcessEnvironment.ownArgumentTexts
        let options = own.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        if Set(options).count < options.count, let problem = CommandTree.whole()?.repeatedOption(in: own[...]) {
            throw CommandError.usage("\(problem.message) (see '\(problem.command) --help')")
        }
        return command
    }

    /// The parser throws help and completion scripts as errors with status 0.
    private static func answer(_ error: any Error) -> Int32 {
        let status = Mamctl.exitCode(for: error).rawValue
        let text = Mamctl.fullMessage(for: error)
        guard status == 0 else { return report(.usage(message(of: error, in: text))) }
        if let problem = misspeltHelp() { return report(problem) }
        do {
            try Output.line(text)
            return 0
        } catch {
            return (error as? CommandError).map(report) ?? ExitStatus.failed.rawValue
        }
    }

    /// The parser helps with the nearest command that there is; help that was asked of another is wrong usage.
    private static func misspeltHelp() -> CommandError? {
        let words = ProcessEnvironment.ownArgumentTexts
        let isHelp = words.first == "help"
        guard isHelp || words.contains("--help") || words.contains("-h"), !ProcessEnvironment.isCompleting,
            let problem = CommandTree.whole()?.unknownCommand(in: words.dropFirst(isHelp ? 1 : 0))
        else { return nil }
        return .usage("\(problem.message) (see '\(problem.command) --help')")
    }

    /// A suggestion for a misspelt word, else the parser's message on one line. The usage that the parser appends is replaced by a
    /// reference to the command's help.
    private static func message(of error: any Error, in text: String) -> String {
        if let problem = CommandTree.whole()?.problem(about: ProcessEnvironment.ownArgumentTexts) {
            return "\(problem.message) (see '\(problem.command) --help')"
        }
        let message = Mamctl.message(for: error).split(separator: "\n").joined(separator: " ")
        let pointer = text.split(separator: "\n").last { $0.hasPrefix("  See '") }
        guard let command = pointer?.split(separator: "'").dropFirst().first else { return message }
        return "\(message) (see '\(command)')"
    }

    private static func report(_ failure: CommandError) -> Int32 {
        if ProcessEnvironment.isPlugin, let message = failure.message {
            try? Output.line(StatusPlugin.unknown(message))
            return StatusPlugin.unknownStatus
        }
        if let line = failure.line(asJSON: ProcessEnvironment.wantsJSON) { Output.complain(line) }
        return failure.exitStatus.rawValue
    }
}
