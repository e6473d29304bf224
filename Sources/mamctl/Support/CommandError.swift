import CMam
import MAMValues

/// The exit statuses of the man page. Success is 0.
enum ExitStatus: Int32 {
    /// An operation failed.
    case failed = 1
    /// CRITICAL of `status --nagios`, whose other statuses have the numbers of `failed` and `refused`.
    case critical = 2
    /// The policy refuses or requires something.
    case refused = 3
    /// A program cannot be run, or does not exist: the statuses that shells use.
    case cannotRun = 126
    case notFound = 127
    /// EX_USAGE of sysexits.h.
    case wrongUsage = 64
    /// The status that shells report for a process that SIGPIPE ended.
    case brokenPipe = 141
}

/// The failure of a command, with its exit status.
struct CommandError: Error {
    let exitStatus: ExitStatus
    /// One line for a person; nil for no output.
    let message: String?
    /// The same as JSON; nil where standard output has it already.
    let json: String?

    /// The line for standard error.
    func line(asJSON: Bool) -> String? {
        asJSON ? json : message.map { "mamctl: \(Text.clean($0))" }
    }
}

extension CommandError {
    /// The error of this thread's latest call of libmam.
    static var lastLibraryError: CommandError {
        // Read the message first: mam_last_error_json is a call of its own.
        let message = String(cString: mam_last_message())
        var text: UnsafeMutablePointer<CChar>?
        let status = mam_last_error_json(&text)
        defer { mam_free(text) }
        let json = status == MAM_OK ? text.map { String(cString: $0) } : nil
        return CommandError(exitStatus: .failed, message: message.isEmpty ? "the call failed" : message, json: json)
    }

    /// An error in libmam's JSON, from a service.
    static func library(_ error: JSON) -> CommandError {
        CommandError(exitStatus: .failed, message: error["message"].string, json: error.text)
    }

    /// A failure of mamctl itself, in the form of libmam's.
    static func failed(_ message: String, status: Int = MAM_ERR_IO) -> CommandError {
        CommandError(exitStatus: .failed, message: message, json: json(message, status: status))
    }

    /// The error with words appended to its message.
    func appending(_ words: String) -> CommandError {
        let extended = json.flatMap { try? JSON(parsing: $0) }.map { json in
            JSON.object(
                json.members.map { member in
                    guard member.key == "message" else { return member }
                    return ("message", .string("\(member.value.string ?? ""); \(words)"))
                }
            ).text
        }
        return CommandError(exitStatus: exitStatus, message: message.map { "\($0); \(words)" }, json: extended ?? json)
    }

    /// A wrong command line.
    static func usage(_ message: String) -> CommandError {
        CommandError(exitStatus: .wrongUsage, message: message, json: json(message, status: MAM_ERR_ARGUMENT))
    }

    /// A program that could not be executed.
    static func notRun(_ message: String, exists: Bool) -> CommandError {
        let status = exists ? MAM_ERR_PERMISSION : MAM_ERR_NOT_FOUND
        return CommandError(
            exitStatus: exists ? .cannotRun : .notFound, message: message, json: json(message, status: status))
    }

    /// The policy refuses or requires something. Without a message, standard output has the reason.
    static func refused(_ message: String?) -> CommandError {
        CommandError(
            exitStatus: .refused, message: message, json: message.map { json($0, status: MAM_ERR_NOT_MANAGED) })
    }

    /// An operation failed; with `--json` standard output has its status.
    static func ended(_ message: String) -> CommandError {
        CommandError(exitStatus: .failed, message: message, json: nil)
    }

    /// A command that has printed everything, and ends with a status other than 0.
    static func silent(_ status: ExitStatus) -> CommandError {
        CommandError(exitStatus: status, message: nil, json: nil)
    }

    /// The reader of standard output closed the pipe; exit silently.
    static let brokenPipe = CommandError(exitStatus: .brokenPipe, message: nil, json: nil)

    private static func json(_ message: String, status: Int) -> String {
        JSON.members([
            "status": .number(status),
            "name": .string(String(cString: mam_status_name(mam_status(status)))),
            "message": .string(message),
        ]).text
    }
}
