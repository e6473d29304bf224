import Glibc
import MAMValues

/// `--all-apps`: every app with an account in the state directory. A final app or group of the system's file binds here as well: then
/// only that one, and a warning names it.
struct AllApps {
    let session: SessionOptions
    let output: OutputOptions

    /// Call `body` for one app after the other. A failure does not keep the others from it, and is the exit status.
    func each(_ body: (_ app: String, _ options: SessionOptions) throws -> Void) throws {
        let finalApp = try finalValue(.app)
        let finalGroup = try finalValue(.group) ?? finalApp.map { try Configuration.text(.group) ?? $0 }
        var failure: ExitStatus?
        for group in try groups() where finalGroup == nil || group == finalGroup {
            let found = try each(finalApp, group) { try body($0, session.of($0, in: group)) }
            // An app that cannot be asked weighs more than one that needs attention.
            failure = failure == .failed ? failure : found ?? failure
        }
        if let failure { throw CommandError.silent(failure) }
    }

    private func finalValue(_ key: ConfigurationKey) throws -> String? {
        guard let value = try Configuration.value(key), value.isFinal else { return nil }
        Configuration.warn(value, countsInsteadOf: "--all-apps")
        return value.text
    }

    /// Call `body` for one app, else for each app of a group, and print what fails; returns the status of a failure.
    private func each(_ one: String?, _ group: String, _ body: (String) throws -> Void) throws -> ExitStatus? {
        var failure: ExitStatus?
        func attempt(_ name: String, _ work: () throws -> Void) throws {
            do {
                try work()
            } catch let error as CommandError where error.exitStatus != .brokenPipe {
                failure = failure == .failed ? failure : error.exitStatus
                guard let line = error.line(asJSON: output.json) else { return }
                Output.complain(output.json ? line : "mamctl: \(name): \(line.dropFirst("mamctl: ".count))")
            }
        }
        var apps = one.map { [$0] } ?? []
        if one == nil { try attempt(group) { apps = try session.managedApps(of: group) } }
        for app in apps { try attempt(app) { try body(app) } }
        return failure
    }

    /// The names of directories that hold a state, in order.
    private func groups() throws -> [String] {
        let path = try session.stateDirectory
        guard let directory = opendir(path) else {
            guard errno == ENOENT else { throw Input.unreadable(path) }
            return []
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if AppId.isValid(name), access("\(path)/\(name)/state.db", F_OK) == 0 { names.append(name) }
        }
        return names.sorted()
    }
}
