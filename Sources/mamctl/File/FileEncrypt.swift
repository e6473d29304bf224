import ArgumentParser
import CMam

/// `mamctl file encrypt`
struct FileEncrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Encrypt files in place for a managed account.",
        discussion: """
            Whatever its policy requires. Each file is rewritten beside its place and put there when it is whole; \
            mode, owner, times, extended attributes and holes stay. Nothing is done to a file that is encrypted for the \
            account already.

            Example:
              mamctl file encrypt --account ann@contoso.example plan.txt
            """)

    @Argument(help: "Files.", completion: .file())
    var paths: [String]

    @Option(help: "The owner: a UPN or an account id (default: $MAM_IDENTITY).", completion: Completions.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let account = try ProcessEnvironment.account(account)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            let failures = try WriteProgress.over(paths, isQuiet: output.json) {
                try FileBatch.each(paths) { path in try session.perform { mam_file_encrypt($0, path, account) } }
            }
            try FileBatch.report(failures, output)
        }
    }
}

/// `mamctl file decrypt`
struct FileDecrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Make encrypted files plain again, or write a plain copy of one.",
        discussion: """
            In place, also where policy requires encryption; a plain file stays as it is. A file that holds what 'mamctl \
            protect' made is decrypted as well. With --copy the file stays encrypted, and what is at the copy's path is \
            replaced as a whole or not at all.

            Example:
              mamctl file decrypt plan.txt
              mamctl file decrypt plan.txt --copy /tmp/plan.txt
            """)

    @Argument(help: "Files; one with --copy.", completion: .file())
    var paths: [String]

    @Option(help: ArgumentHelp("Where the plain copy is to be.", valueName: "target"), completion: .file())
    var copy: String?

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard copy == nil || paths.count == 1 else { throw ValidationError("--copy takes one file.") }
    }

    func run() throws {
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            let failures = try WriteProgress.over(paths, isQuiet: output.json) {
                try FileBatch.each(paths) { path in
                    try FileKind.refuseExported(path)
                    try session.perform { m in
                        if let copy { mam_file_decrypt_copy(m, path, copy) } else { mam_file_decrypt(m, path) }
                    }
                }
            }
            try FileBatch.report(failures, output)
        }
    }
}
