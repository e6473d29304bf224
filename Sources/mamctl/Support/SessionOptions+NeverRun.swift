import Glibc
import MAMValues

/// Apps without a state here. Opening a session makes one, so that a misspelt id would look like an app from then on.
extension SessionOptions {
    /// Whether the app has no state; false also where only opening it says why, and for a test policy, which a session applies.
    func isNeverRun() throws -> Bool {
        let (app, group) = try appAndGroup()
        guard AppId.isValid(app), AppId.isValid(group),
            try Configuration.value(.testPolicy, option: testPolicy) == nil
        else { return false }
        let state = "\(try stateDirectory)/\(group)"
        return attributes("\(state)/state.db") == nil && errno == ENOENT && !StateCheck.hasLostDatabase(state)
    }

    /// Says that the app was never run here, and which app of the state directory was probably meant.
    func neverRun() throws -> String {
        let (app, group) = try appAndGroup()
        let states = try stateDirectory
        let known = StateCheck.names(states).filter {
            AppId.isValid($0) && attributes("\(states)/\($0)/state.db") != nil
        }
        let place = group == app ? "" : " in the group \(group)"
        return
            "\(app) was never run here\(place): no account is enrolled in it, or its id is another.\(NearestName.question(group, among: known))"
    }

    /// Fails where the app was never run here.
    func checkRun(status: Int) throws {
        if try isNeverRun() { throw CommandError.failed(try neverRun() + " mamctl enroll enrolls one", status: status) }
    }

    /// Calls `body` with the same options for a state that is removed afterwards.
    func withTemporaryState<Value>(_ body: (SessionOptions) throws -> Value) throws -> Value {
        let place = try ProcessEnvironment.variable("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var folder = Array("\(place)/mamctl-XXXXXX".utf8CString)
        guard mkdtemp(&folder) != nil else {
            throw CommandError.failed("\(place): \(ProcessEnvironment.errorText(errno))")
        }
        let temporary = String(decoding: folder.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { SessionOptions.remove(temporary) }
        var options = self
        options.state = temporary
        return try body(options)
    }

    /// Remove a directory with all that is in it.
    private static func remove(_ path: String) {
        for name in StateCheck.names(path) { remove("\(path)/\(name)") }
        _ = Glibc.remove(path)
    }
}
