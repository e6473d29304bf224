import CMam

/// The exit statuses, as the man page tells them. Success is 0.
enum ExitStatus: Int32 {
    /// An operation failed.
    case failed = 1
    /// The policy refuses, or requires something.
    case refused = 3
    /// A program is there but cannot be run, or is not there: the statuses of a shell.
    case cannotRun = 126
    case notFound = 127
    /// The command line is wrong: EX_USAGE of sysexits.h.
    case wrongUsage = 64
    /// What a shell reports for a process that SIGPIPE ended.
    case readerGone = 141
}

/// Why a command ends without having done its work, and with which exit status.
struct Failure: Error {
    let exitStatus: ExitStatus
    /// One line for a person; nil where nothing is to be said.
    let message: String?
    /// The same as JSON; nil where standard output has told it already.
    let json: String?

    /// The line for standard error.
    func line(asJSON: Bool) -> String? {
        asJSON ? json : message.map { "mamctl: \(Text.clean($0))" }
    }
}

extension Failure {
    /// What libmam says about this thread's latest call.
    static var latest: Failure {
        // The message first: asking for the JSON is a call of its own.
        let message = String(cString: mam_last_message())
        var text: UnsafeMutablePointer<CChar>?
        let status = mam_last_error_json(&text)
        defer { mam_free(text) }
        let json = status == MAM_OK ? text.map { String(cString: $0) } : nil
        return Failure(exitStatus: .failed, message: message.isEmpty ? "the call failed" : message, json: json)
    }

    /// A failure of mamctl's own, in the form of libmam's.
    static func failed(_ message: String, status: Int = MAM_ERR_IO) -> Failure {
        Failure(exitStatus: .failed, message: message, json: json(message, status: status))
    }

    /// The same, with something more to say.
    func adding(_ words: String) -> Failure {
        let told = json.flatMap { try? JSON(parsing: $0) }.map { json in
            JSON.object(
                json.members.map { member in
                    guard member.key == "message" else { return member }
                    return JSON.Member(key: "message", value: .string("\(member.value.string ?? ""); \(words)"))
                }
            ).text
        }
        return Failure(exitStatus: exitStatus, message: message.map { "\($0); \(words)" }, json: told ?? json)
    }

    /// The command line is wrong.
    static func usage(_ message: String) -> Failure {
        Failure(exitStatus: .wrongUsage, message: message, json: json(message, status: MAM_ERR_ARGUMENT))
    }

    /// The program that should take this one's place does not.
    static func notRun(_ message: String, isThere: Bool) -> Failure {
        let status = isThere ? MAM_ERR_PERMISSION : MAM_ERR_NOT_FOUND
        return Failure(
            exitStatus: isThere ? .cannotRun : .notFound, message: message, json: json(message, status: status))
    }

    /// The policy refuses or requires. Without a message standard output holds the reason.
    static func refused(_ message: String?) -> Failure {
        Failure(exitStatus: .refused, message: message, json: message.map { json($0, status: MAM_ERR_NOT_MANAGED) })
    }

    /// An operation ended badly; with `--json` standard output holds its status.
    static func ended(_ message: String) -> Failure {
        Failure(exitStatus: .failed, message: message, json: nil)
    }

    /// Whoever read standard output went away: nothing to say, and nobody to say it to.
    static let brokenPipe = Failure(exitStatus: .readerGone, message: nil, json: nil)

    private static func json(_ message: String, status: Int) -> String {
        JSON.members([
            "status": .number("\(status)"),
            "name": .string(String(cString: mam_status_name(mam_status(status)))),
            "message": .string(message),
        ]).text
    }
}
