import ArgumentParser
import CMam

/// `mamctl protect`
struct Protect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protect",
        abstract: "Protect data for an account.",
        discussion: """
            Reads FILE or standard input, of any size and in constant memory, and writes a container to standard \
            output, which only this app reads back, and only while it manages the account. With --output it goes to \
            a file, which may be FILE itself and is replaced as a whole or not at all, with its permissions; a FILE \
            that is protected already is an error then. The data of an unmanaged account is labelled \
            with its owner, not encrypted, and standard error says so: a misspelt name is such an account. With \
            --unknown-identities error it is an error. Where anything fails nothing is written, but for standard \
            output after the first MiB: what is there then is not to be used, does not open, and standard error says so.

            Example:
              mamctl protect --account ann@contoso.example < plan.txt > plan.mam
              mamctl protect --account ann@contoso.example plan.txt --output plan.txt
            """)

    @Option(
        help: "The owner of the data: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @OptionGroup var data: FilterOptions
    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard data.output != nil || !Output.isTerminal else {
            throw CommandError.usage(
                "a container does not belong on a terminal; redirect standard output, or give --output")
        }
        let account = try ProcessEnvironment.account(account)
        try session.checkRun(status: MAM_ERR_NOT_MANAGED)
        let transfer = try data.transfer(isQuiet: output.json)
        try Session.open(session) { session in
            try session.checkInIfDue()
            if data.output != nil { try checkUnprotected(transfer, session) }
            var stream: OpaquePointer?
            try transfer.run(
                open: { opening in
                    session.status {
                        mam_protect_stream_open($0, account, opening.flags, opening.take, opening.user, &stream)
                    }
                },
                write: { mam_protect_stream_write(stream, $0, $1) }, close: { mam_protect_stream_close(stream, $0) })
            session.warnIfLabelled(account, output)
        }
    }

    /// Fail for input that is protected already, so that a script that runs again does not wrap a file twice.
    private func checkUnprotected(_ transfer: StreamTransfer, _ session: Session) throws {
        var stream: OpaquePointer?
        try session.perform { mam_unprotect_stream_open($0, UInt32(MAM_STRICT), { _, _, _ in 0 }, nil, &stream) }
        let (bytes, isAll) = transfer.beginning
        let written = mam_unprotect_stream_write(stream, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        let closed = mam_unprotect_stream_close(stream, isAll ? 0 : UInt32(MAM_ABANDON), nil)
        switch Int(written == MAM_OK ? closed : written) {
        case MAM_ERR_NOT_PROTECTED, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION: return
        default: throw CommandError.failed("\(data.file) is protected already", status: MAM_ERR_ALREADY)
        }
    }
}

/// `mamctl unprotect`
struct Unprotect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unprotect",
        abstract: "Read back what 'mamctl protect' or this app made.",
        discussion: """
            Reads a container from FILE or standard input, of any size and in constant memory, and writes what is \
            in it to standard output, or with --output to a file, which is replaced as a whole or not at all. Bytes \
            that are no container come back unchanged; with --strict they are an error. Where anything fails, a \
            single changed bit included, nothing is written, but for standard output after the first MiB: what is \
            there then is only the beginning, not to be used, and standard error says so. In a pipe look at this \
            command's exit status.

            Example:
              mamctl unprotect --strict < plan.mam
            """)

    @Flag(help: "Refuse bytes that are no container.")
    var strict = false

    @OptionGroup var data: FilterOptions
    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let strict: UInt32 = strict ? UInt32(MAM_STRICT) : 0
        let transfer = try data.transfer(isQuiet: output.json)
        // A sealed file is not a container, and would be copied unchanged.
        if transfer.beginning.bytes.starts(with: [0x4d, 0x41, 0x4d, 2]) {
            throw CommandError.usage(
                "\(data.file) is a sealed file, not a container; mamctl file decrypt --copy reads it")
        }
        guard try session.isNeverRun() else { return try Unprotect.run(transfer, session, strict) }
        // Unprotected data comes back unchanged, as for any other app.
        Output.complain("mamctl: note: \(Text.clean(try session.neverRun().message))")
        try session.withTemporaryState { try Unprotect.run(transfer, $0, strict) }
    }

    private static func run(_ transfer: StreamTransfer, _ session: SessionOptions, _ strict: UInt32) throws {
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            var stream: OpaquePointer?
            try transfer.run(
                open: { opening in
                    session.status {
                        mam_unprotect_stream_open($0, strict | opening.flags, opening.take, opening.user, &stream)
                    }
                },
                write: { mam_unprotect_stream_write(stream, $0, $1) },
                close: { mam_unprotect_stream_close(stream, $0, nil) })
        }
    }
}
