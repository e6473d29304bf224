import CMam
import Glibc

extension Session {
    /// Start an operation that may wipe, and wait for it. Shows how many files were removed on a terminal, and warns of files that
    /// are left. Both come from the session's log, because reading its events would take them from the app.
    func operateShowingRemovals(
        _ output: OutputOptions, _ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status
    ) throws -> String {
        guard !output.json else { return try operate(call) }
        let isShown = ProgressLine.hasTerminal
        try perform {
            mam_set_log(
                $0, Int32(isShown ? MAM_LOG_INFO : MAM_LOG_WARNING),
                { _, level, line in
                    guard let line else { return }
                    if strstr(line, "a wipe has removed") != nil { ProgressLine.say(String(cString: line)) }
                    guard level == MAM_LOG_WARNING, strstr(line, "a wipe removed") != nil else { return }
                    if ProgressLine.hasTerminal { ProgressLine.say("") }
                    Output.complain("mamctl: \(String(cString: line)): mamctl events --json names them")
                }, nil)
        }
        defer { if isShown { ProgressLine.say("") } }
        return try operate(call)
    }
}
