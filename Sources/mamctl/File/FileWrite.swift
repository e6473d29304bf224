import ArgumentParser
import CMam
import Glibc

/// `mamctl file write`
struct FileWrite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Make a file for an account from standard input.",
        discussion: """
            Encrypted where the account's policy requires that, else plain; nothing plain is on the disk before. What \
            was in the file is gone. It is done when it is on the disk.

            Example:
              mamctl file write --account ann@contoso.example plan.txt < draft.txt
            """)

    @Argument(help: "The file.", completion: .file())
    var path: String

    @Option(
        help: "The owner: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let account = try ProcessEnvironment.account(account)
        let source = try ChunkedInput("-", mayBeEmpty: true)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            var file: OpaquePointer?
            try session.perform { mam_file_create($0, path, O_WRONLY, 0o666, account, &file) }
            defer { mam_file_close(file) }
            var progress = ProgressLine(path, total: source.total, isQuiet: output.json)
            defer { progress.clear() }
            while !source.chunk.isEmpty {
                try FileWrite.write(source.chunk, to: file)
                progress.advance(source.chunk.count)
                if source.isFull { try source.next() } else { break }
            }
            try Library.check(mam_file_sync(file))
            session.warnIfLabelled(account, output)
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: OpaquePointer?) throws {
        var rest = bytes.bindMemory(to: UInt8.self)[...]
        while !rest.isEmpty {
            var count = 0
            let next = UnsafeBufferPointer(rebasing: rest)
            try Library.check(mam_file_write(file, next.baseAddress, next.count, &count))
            rest = rest.dropFirst(count)
        }
    }
}
