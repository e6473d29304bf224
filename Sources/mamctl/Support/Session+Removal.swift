import CMam
import Glibc

extension Session {
    /// Start an operation that may wipe, do its work, and show on a terminal how many files it has removed: its log says that,
    /// while its events are the app's to take.
    func operateAndShowRemoval(
        _ output: OutputOptions, _ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status
    ) throws -> String {
        guard !output.json, ProgressLine.hasTerminal else { return try operate(call) }
        try perform {
            mam_set_log(
                $0, Int32(MAM_LOG_INFO),
                { _, _, line in
                    guard let line, strstr(line, "a wipe has removed") != nil else { return }
                    ProgressLine.say(String(cString: line))
                }, nil)
        }
        defer { ProgressLine.say("") }
        return try operate(call)
    }
}
