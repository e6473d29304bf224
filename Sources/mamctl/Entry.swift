import ArgumentParser
import Glibc

/// Where the process starts and ends: the only place that turns an error into a line and an exit status.
@main
enum Entry {
    static func main() {
        Surroundings.keepStandardStreams()
        Surroundings.ignoreWriteSignals()
        exit(run())
    }

    private static func run() -> Int32 {
        do {
            try Surroundings.checkArguments()
            var command = try Mamctl.parseAsRoot()
            try command.run()
            return 0
        } catch let failure as Failure {
            return report(failure)
        } catch {
            return answer(error)
        }
    }

    /// Help and completion scripts arrive as errors too, with the status 0.
    private static func answer(_ error: any Error) -> Int32 {
        let status = Mamctl.exitCode(for: error).rawValue
        let text = Mamctl.fullMessage(for: error)
        guard status == 0 else { return report(.usage(message(of: error, in: text))) }
        do {
            try Output.line(text)
            return 0
        } catch {
            return (error as? Failure).map(report) ?? ExitStatus.failed.rawValue
        }
    }

    /// What was misspelt, else the parser's message on one line, with the help to look at in place of the usage it appends.
    private static func message(of error: any Error, in text: String) -> String {
        if let complaint = CommandTree.whole()?.complaint(about: Surroundings.ownWords) {
            return "\(complaint.message) (see '\(complaint.command) --help')"
        }
        let message = Mamctl.message(for: error).split(separator: "\n").joined(separator: " ")
        let pointer = text.split(separator: "\n").last { $0.hasPrefix("  See '") }
        guard let command = pointer?.split(separator: "'").dropFirst().first else { return message }
        return "\(message) (see '\(command)')"
    }

    private static func report(_ failure: Failure) -> Int32 {
        if let line = failure.line(asJSON: Surroundings.wantsJSON) { Output.complain(line) }
        return failure.exitStatus.rawValue
    }
}
