import ArgumentParser
import CMam

/// `mamctl protect`
struct Protect: ParsableCommand {
    /// Longest plain data that the filters take, in bytes.
    static let longestData = 64 << 20

    static let configuration = CommandConfiguration(
        abstract: "Protect standard input for an account.",
        discussion: """
            Reads up to 64 MiB from standard input and writes a container to standard output, which only this \
            app reads back, and only while it manages the account. The data of an unmanaged account is labelled \
            with its owner, not encrypted, and standard error says so: a misspelt name is such an account. With \
            --unknown-identities error it is an error. Where anything fails nothing is written.

            Example:
              mamctl protect --account ann@contoso.example < plan.txt > plan.mam
            """)

    @Option(help: "Whose data it is: a UPN or an account id; \"\" for nobody's.", completion: Suggestion.accounts)
    var account: String

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard !Output.isTerminal else {
            throw Failure.usage("a container does not belong on a terminal; redirect standard output")
        }
        let data = try Input.standard(limit: Protect.longestData)
        try Session.open(session) { session in
            try session.keepSchedule()
            try data.withBytes { bytes in
                try session.bytes(
                    { mam_protect($0, account, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, $1) }
                ) { container in
                    let isLabelled = try !account.isEmpty && Info.of(container, session)["encrypted"] != .bool(true)
                    try Output.write(container)
                    if isLabelled { tellLabelled() }
                }
            }
        }
    }

    /// Nobody's data is labelled on purpose; that a named account's is not encrypted may be a misspelt name.
    private func tellLabelled() {
        let message = "labelled for \(account), not encrypted: \(account) is not a managed account"
        let json = JSON.members([
            "account": .string(account), "encrypted": .bool(false), "message": .string(message),
        ])
        Output.complain(output.json ? json.text : "mamctl: \(Text.clean(message))")
    }
}

/// `mamctl unprotect`
struct Unprotect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read back what 'mamctl protect' or this app made.",
        discussion: """
            Reads a container from standard input and writes what is in it to standard output. Bytes that are \
            no container come back unchanged; with --strict they are an error. Where anything fails, a single \
            changed bit included, nothing is written.

            Example:
              mamctl unprotect --strict < plan.mam
            """)

    @Flag(help: "Refuse bytes that are no container.")
    var strict = false

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let data = try Input.standard(limit: mam_protect_bound(Protect.longestData))
        let flags: UInt32 = strict ? UInt32(MAM_STRICT) : 0
        try Session.open(session) { session in
            try session.keepSchedule()
            try data.withBytes { bytes in
                try session.bytes(
                    { mam_unprotect($0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, flags, $1, nil) },
                    Output.write)
            }
        }
    }
}
