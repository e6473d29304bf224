import CMam

extension Session {
    /// Run a body, and say which files in a directory keep their owner. The session's log has it too: reading its events would take
    /// them from the app.
    func namingLeftFiles<Value>(_ body: () throws -> Value) throws -> Value {
        try perform {
            mam_set_log(
                $0, Int32(MAM_LOG_WARNING),
                { _, _, line in
                    let line = line.map { String(cString: $0) } ?? ""
                    guard line.utf8.starts(with: "a directory was protected without ".utf8) else { return }
                    Output.complain("mamctl: \(Text.clean(line))")
                }, nil)
        }
        defer { _ = status { mam_set_log($0, Int32(MAM_LOG_ERROR), nil, nil) } }
        return try body()
    }
}
