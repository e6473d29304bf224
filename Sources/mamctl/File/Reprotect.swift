import ArgumentParser
import CMam
import MAMValues

/// `mamctl reprotect`
struct Reprotect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprotect",
        abstract: "Move files to the newest key of their account.",
        discussion: """
            Every file at or below PATH that a former key of a managed account seals is sealed again under the newest \
            one, each as a whole or not at all. Encrypted databases are rewritten by SQLite, while whoever has them \
            open goes on. Other files stay as they are, and symbolic links are not followed. What was done already is \
            not done again: after an interruption begin again. What cannot be done is reported on standard error, and the \
            exit status is 1 then.

            Example:
              mamctl rotate-keys ann@contoso.example
              mamctl reprotect notes/
            """)

    @Argument(help: "A directory, or a file.", completion: .file())
    var path: String

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try FileWalk.checkExists(path)
        var progress = ProgressLine(path, total: try FileWalk.size(of: [path]), isQuiet: output.json)
        var (files, moved, failed) = (0, 0, 0)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            try FileWalk.each(path) { file, size, problem in
                files += 1
                do {
                    if let problem { throw problem }
                    var isMoved: mam_bool = 0
                    try session.perform { mam_file_reprotect($0, file, &isMoved) }
                    if isMoved != 0 { moved += 1 }
                } catch let failure as CommandError {
                    failed += 1
                    progress.clear()
                    Output.complain(failure.line(asJSON: output.json) ?? "")
                }
                progress.advance(size)
            }
        }
        progress.clear()
        let counts = JSON.members([
            "files": .number(files), "moved": .number(moved), "failed": .number(failed),
        ])
        try output.show(counts.text) { _ in ["\(moved) of \(files) files moved to the newest key"] }
        guard failed == 0 else { throw CommandError.failed("\(failed) files could not be moved") }
    }
}
