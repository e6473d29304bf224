import ArgumentParser
import CMam

/// `mamctl protect`
struct Protect: ParsableCommand {
    /// Longest plain data that the filters take, in bytes.
    static let longestData = 64 << 20

    static let configuration = CommandConfiguration(
        abstract: "Protect data for an account.",
        discussion: """
            Reads up to 64 MiB from FILE or standard input and writes a container to standard output, which only \
            this app reads back, and only while it manages the account. With --output it goes to a file, which \
            may be FILE itself and is replaced as a whole or not at all, with its permissions; a FILE that is \
            protected already is an error then. The data of an unmanaged account is labelled \
            with its owner, not encrypted, and standard error says so: a misspelt name is such an account. With \
            --unknown-identities error it is an error. Where anything fails nothing is written.

            Example:
              mamctl protect --account ann@contoso.example < plan.txt > plan.mam
              mamctl protect --account ann@contoso.example plan.txt --output plan.txt
            """)

    @Option(
        help: "Whose data it is: a UPN or an account id; \"\" for nobody's (default: $MAM_IDENTITY).",
        completion: Suggestion.accounts)
    var account: String?

    @OptionGroup var data: DataOptions
    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard data.output != nil || !Output.isTerminal else {
            throw Failure.usage("a container does not belong on a terminal; redirect standard output, or give --output")
        }
        let account = try Surroundings.account(account)
        let passage = try data.read(limit: Protect.longestData)
        try Session.open(session) { session in
            try session.keepSchedule()
            try passage.withBytes { bytes in
                if data.output != nil { try insistUnprotected(bytes, session) }
                try session.bytes(
                    { mam_protect($0, account, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, $1) }
                ) { container in
                    let isLabelled = try !account.isEmpty && Info.of(container, session)["encrypted"] != .bool(true)
                    try passage.write(container)
                    if isLabelled { tellLabelled(account) }
                }
            }
        }
    }

    /// A script that was killed and begins again must not wrap a file twice.
    private func insistUnprotected(_ bytes: UnsafeRawBufferPointer, _ session: Session) throws {
        guard let information = try? Info.of(bytes, session) else { return }
        throw Failure.failed(
            "\(data.file) is protected already, for \(Text.value(information["accountId"]))", status: MAM_ERR_ALREADY)
    }

    /// Nobody's data is labelled on purpose; that a named account's is not encrypted may be a misspelt name.
    private func tellLabelled(_ account: String) {
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
            Reads a container from FILE or standard input and writes what is in it to standard output, or with \
            --output to a file, which is replaced as a whole or not at all. Bytes that are \
            no container come back unchanged; with --strict they are an error. Where anything fails, a single \
            changed bit included, nothing is written.

            Example:
              mamctl unprotect --strict < plan.mam
            """)

    @Flag(help: "Refuse bytes that are no container.")
    var strict = false

    @OptionGroup var data: DataOptions
    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let flags: UInt32 = strict ? UInt32(MAM_STRICT) : 0
        let passage = try data.read(limit: mam_protect_bound(Protect.longestData))
        try Session.open(session) { session in
            try session.keepSchedule()
            try passage.withBytes { bytes in
                try session.bytes(
                    { mam_unprotect($0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, flags, $1, nil) },
                    passage.write)
            }
        }
    }
}
