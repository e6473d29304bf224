import CMam
import Glibc
import MAMValues

/// `--all-apps`: every app with an account in the state directory. A final app or group of the system's file binds here as well: then
/// only that one, and a warning names it.
struct AllApps {
    let session: SessionOptions
    let output: OutputOptions

    /// Call `body` for one app after the other. A failure does not keep the others from it, and is the exit status.
    /// `body` returns whether it has shown something; where nothing was shown at all, a line says so.
    func each(_ body: (_ app: String, _ options: SessionOptions) throws -> Bool) throws {
        let finalApp = try finalValue(.app)
        let finalGroup = try finalValue(.group) ?? finalApp.map { try Configuration.text(.group) ?? $0 }
        var failure: ExitStatus?
        var isEmpty = true
        for group in try groups() where finalGroup == nil || group == finalGroup {
            let found = try each(finalApp, group) { app in
                if try body(app, session.of(app, in: group)) { isEmpty = false }
            }
            // An app that cannot be asked weighs more than one that needs attention.
            failure = failure == .failed ? failure : found ?? failure
        }
        if let failure { throw CommandError.silent(failure) }
        if isEmpty, !output.json { try Output.line(Text.clean("no app has an account in \(session.stateDirectory)")) }
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
        try attempt(group) {
            try check(group)
            if one == nil { apps = try session.managedApps(of: group) }
        }
        guard failure == nil else { return failure }
        for app in apps { try attempt(app) { try body(app) } }
        return failure
    }

    /// Fails where a directory cannot be this user's state, which opening it would say of a state that is there, and would make one of
    /// a state whose database is gone.
    private func check(_ group: String) throws {
        let path = "\(try session.stateDirectory)/\(group)"
        func fail(_ reason: String, _ status: Int) -> CommandError {
            .failed("\(path): \(reason); mamctl doctor --app \(group) names what mends it", status: status)
        }
        guard let facts = attributes(path) else { throw Input.unreadable(path) }
        guard facts.st_uid == geteuid() else {
            throw fail("belongs to user \(facts.st_uid), so its apps are left out", MAM_ERR_PERMISSION)
        }
        guard access(path, R_OK | X_OK) == 0 else {
            throw fail("this user may not look into it, so its apps are left out", MAM_ERR_PERMISSION)
        }
        guard !StateCheck.hasLostDatabase(path) else {
            throw fail("state.db is gone or empty, but shares of accounts are still there", MAM_ERR_STORAGE)
        }
    }

    /// Whether this call names the state directory, so that one that is not there is misspelt.
    private func isNamed() throws -> Bool {
        guard let value = try Configuration.value(.state, option: session.state) else { return false }
        return value.source == .option || value.source == .environment
    }

    /// The names of directories that hold a state, or may hold one that cannot be looked at, in order.
    private func groups() throws -> [String] {
        let path = try session.stateDirectory
        guard let directory = opendir(path) else {
            // The default, and one for everybody in a file, is made by the first program that a person uses.
            let code = errno
            guard code == ENOENT, try !isNamed() else {
                errno = code
                throw Input.unreadable(path)
            }
            return []
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard AppId.isValid(name), let facts = attributes("\(path)/\(name)"), facts.st_mode & S_IFMT == S_IFDIR
            else { continue }
            let isOwn = facts.st_uid == geteuid() && access("\(path)/\(name)", R_OK | X_OK) == 0
            let hasDatabase = attributes("\(path)/\(name)/state.db") != nil
            let hasState = hasDatabase || StateCheck.hasLostDatabase("\(path)/\(name)")
            if hasState || !isOwn { names.append(name) }
        }
        return names.sorted()
    }
}
