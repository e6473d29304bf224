import ArgumentParser
import CMam
import MAMValues

/// `mamctl sqlite`
struct SQLite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sqlite",
        abstract: "SQLite databases of accounts: convert them, look into them.",
        discussion: """
            A program opens an encrypted database with the file system that mam_sqlite_vfs_register gives SQLite. These \
            commands make one of a plain database, turn it back, and open a shell on either.

            Example:
              mamctl sqlite encrypt --account ann@contoso.example notes.db
              mamctl sqlite shell --account ann@contoso.example notes.db 'SELECT count(*) FROM notes'
            """,
        subcommands: [SQLiteEncrypt.self, SQLiteDecrypt.self, SQLiteShell.self])
}

/// A database and its account.
struct DatabaseOptions: ParsableArguments {
    @Argument(help: "The database.", completion: .file())
    var database: String

    @Option(
        help: "The owner: a UPN or an account id (default: $MAM_IDENTITY).", completion: Completions.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions

    /// The absolute path. Fails with the owner's name where the database is encrypted for another account; SQLite would only report
    /// that it cannot be read.
    func checkOwner(_ account: String, _ session: Session) throws -> String {
        let path = try ProcessEnvironment.absolutePath(database)
        let info = try? JSON(parsing: session.text { mam_file_info($0, path, $1) })
        guard let info, info["encrypted"] == .bool(true), let owner = info["accountId"].string else { return path }
        let accounts = try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
        let names = accounts.first { $0["accountId"].string == owner }?["upn"].string.map { [owner, $0] } ?? [owner]
        guard !names.contains(where: { $0.lowercased() == account.lowercased() }) else { return path }
        throw CommandError.failed(
            "\(database) is encrypted for \(names.last ?? owner), not for \(account)", status: MAM_ERR_KEY_UNAVAILABLE)
    }

    /// Call libmam with the path and account.
    func convert(isQuiet: Bool, _ call: (OpaquePointer, String, String) -> mam_status) throws {
        let account = try ProcessEnvironment.account(account)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            let path = try ProcessEnvironment.absolutePath(database)
            try WriteProgress.over([database], isQuiet: isQuiet) { try session.perform { call($0, path, account) } }
        }
    }
}

/// `mamctl sqlite encrypt`
struct SQLiteEncrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Encrypt a database for a managed account, in place.",
        discussion: """
            It is rewritten beside itself and renamed over the old one. Nobody may have it open. Nothing is done \
            where it is encrypted already.

            Example:
              mamctl sqlite encrypt --account ann@contoso.example notes.db
            """)

    @OptionGroup var options: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try options.convert(isQuiet: output.json) { mam_sqlite_encrypt($0, $1, $2) } }
}

/// `mamctl sqlite decrypt`
struct SQLiteDecrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Make an encrypted database plain again, in place.",
        discussion: """
            Nothing is done where it is plain already.

            Example:
              mamctl sqlite decrypt --account ann@contoso.example notes.db
            """)

    @OptionGroup var options: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try options.convert(isQuiet: output.json) { mam_sqlite_decrypt($0, $1, $2) } }
}
