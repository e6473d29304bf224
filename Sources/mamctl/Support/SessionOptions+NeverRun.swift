import CMam
import Glibc
import MAMValues

/// The kinds of commands, by the state of an app that has none here.
enum FirstRun {
    /// It asks or shows something, and leaves no state behind.
    case reads
    /// As ``reads``, and it is for accounts that are not enrolled as well.
    case manages
    /// It stores something for the app.
    case stores
    /// It is what makes an app known here.
    case begins
    /// There is nothing that it could do or show.
    case fails
}

/// Apps without a state here. Opening a session makes one, so that a misspelt id would look like an app from then on, and as one without
/// accounts, to whom everything is allowed.
extension SessionOptions {
    /// Whether the app has no state, or no part in the state of its group; false also where only opening it says why, for a test policy,
    /// which a session applies, and for an extension.
    func isNeverRun() throws -> Bool {
        let (app, group) = try appAndGroup()
        guard AppId.isValid(app), AppId.isValid(group) else { return false }
        let state = "\(try stateDirectory)/\(group)"
        if attributes("\(state)/state.db") != nil {
            guard app != group, !StateFiles.appsWithLog(state).contains(app),
                let managed = try? managedApps(of: group), !managed.contains(app)
            else { return false }
        } else if errno != ENOENT || StateCheck.hasLostDatabase(state) {
            return false
        }
        return try !hasOtherAccounts()
    }

    /// Whether the accounts are a test policy's, or those of a containing app.
    private func hasOtherAccounts() throws -> Bool {
        try Configuration.value(.testPolicy, option: testPolicy) != nil || isExtension()
    }

    /// Whether an app in whose state no account was ever enrolled may be another than the one that is meant.
    func mayBeMistaken() throws -> Bool { try !newApp && !hasOtherAccounts() }

    /// Why another app or group may be meant than one in whose state no account was ever enrolled; nil where nothing speaks for it.
    func doubt() throws -> String? {
        guard try !hasOtherAccounts() else { return nil }
        let (message, isMisspelt) = try neverRun()
        if isMisspelt { return message }
        return (try? checkMayBeNew()) == nil ? message : nil
    }

    /// Treats a state in which no account of the app was ever enrolled, such as a failed enrollment leaves, as one that is not there.
    func checkUnused(_ firstRun: FirstRun) throws {
        switch firstRun {
        case .begins: try checkBeginning()
        case .stores, .reads: try checkMayBeNew()
        case .manages, .fails: break
        }
    }

    /// Says that the app was never run here; and which group has its accounts or, where it is not known otherwise and resembles one that
    /// is, which app was probably meant.
    func neverRun() throws -> (message: String, isMisspelt: Bool) {
        let here = try statesHere()
        return try neverRun(among: here + appsOfAuthority(), accountsIn: otherGroup(here))
    }

    private func neverRun(
        among known: [String], accountsIn other: String?
    ) throws -> (message: String, isMisspelt: Bool) {
        let (app, group) = try appAndGroup()
        let place = group == app ? "" : " in the group \(group)"
        let isKnown = try !isNeverRun()
        let start =
            isKnown ? "no account was ever enrolled in \(app) here\(place)" : "\(app) was never run here\(place)"
        if let other {
            return (
                "\(start): its accounts are in the group \(other). Give --group \(other), or set MAM_GROUP, or group in mam.conf.",
                true
            )
        }
        let others = hasState ? (try? managedApps(of: group)) ?? [] : []
        let question =
            known.contains(app)
            ? "" : NearestName.question(others.isEmpty ? group : app, among: (known + others).filter { $0 != app })
        let message = "\(start)\(isKnown ? "" : ": no account is enrolled in it"), or its id is another.\(question)"
        return (message, !question.isEmpty)
    }

    /// Fails where the app was never run here.
    func checkRun(status: Int) throws {
        guard try isNeverRun() else { return }
        let here = try statesHere()
        let other = try otherGroup(here)
        let message = try neverRun(among: here + appsOfAuthority(), accountsIn: other).message
        throw CommandError.failed(message + (other == nil ? " mamctl enroll enrolls one" : ""), status: status)
    }

    /// Fails where an app that was never run here is more likely misspelt than new: other apps have accounts here, or the authority names
    /// one that it resembles; or where its group is, because another one has its accounts. Otherwise the right ones have no account here
    /// either.
    func checkMayBeNew() throws {
        guard !newApp else { return }
        let here = try statesHere()
        try checkGroup(otherGroup(here))
        let (app, named) = (try appAndGroup().app, try appsOfAuthority())
        guard !named.contains(app) else { return }
        let known = here + named.filter { !here.contains($0) }
        let (message, isMisspelt) = try neverRun(among: known, accountsIn: nil)
        guard !here.isEmpty || isMisspelt else { return }
        let more = known.count > SessionOptions.mostShown ? " and \(known.count - SessionOptions.mostShown) more" : ""
        throw CommandError.failed(
            "\(message) Known here: \(known.prefix(SessionOptions.mostShown).joined(separator: ", "))\(more). \(SessionOptions.makingKnown)",
            status: MAM_ERR_NOT_ENROLLED)
    }

    /// Fails where another group has the app's accounts, so that the group is more likely forgotten or misspelt than new.
    private func checkGroup(_ other: String?) throws {
        guard let other else { return }
        throw CommandError.failed(
            "\(try neverRun(among: [], accountsIn: other).message) --new-app takes it for one without accounts in this group",
            status: MAM_ERR_NOT_ENROLLED)
    }

    /// The first other group here that has accounts of the app.
    private func otherGroup(_ here: [String]) throws -> String? {
        let (app, group) = try appAndGroup()
        return try here.first { try $0 != group && hasAccounts(app, in: $0) }
    }

    /// Whether an app has or had accounts in a group. Where it left no log, opening its session would make one.
    private func hasAccounts(_ app: String, in group: String) throws -> Bool {
        let directory = "\(try stateDirectory)/\(group)"
        guard app == group || StateFiles.appsWithLog(directory).contains(app) else {
            return (try? managedApps(of: group))?.contains(app) ?? false
        }
        // One that does not open may be a state that was moved aside, beside which the app enrolls again.
        return (try? Session.open(of(app, in: group)) { try $0.wasEverEnrolled() }) ?? false
    }

    private static let makingKnown =
        "mamctl enroll makes an app known, and so does a policy or configuration that targets it; --new-app takes it for one without accounts"
    private static let mostShown = 10

    /// Fails where an account enrolls in another group than those of the app; says which app was probably meant where it is not known yet.
    func checkBeginning() throws {
        guard !newApp else { return }
        let here = try statesHere()
        try checkGroup(otherGroup(here))
        let (message, isMisspelt) = try neverRun(among: here + appsOfAuthority(), accountsIn: nil)
        if isMisspelt { Output.complain("mamctl: note: \(Text.clean(message))") }
    }

    /// The groups that have a state with accounts here.
    private func statesHere() throws -> [String] {
        let states = try stateDirectory
        return StateCheck.names(states).filter {
            AppId.isValid($0) && attributes("\(states)/\($0)/state.db") != nil && isUsed($0)
        }
    }

    /// Whether a group has accounts, or may have some that cannot be looked at.
    private func isUsed(_ group: String) -> Bool {
        let used = try? Session.open(of(group, in: group)) { session in
            try session.wasEverEnrolled() || session.text { mam_managed_apps($0, $1) } != "[]"
        }
        return used ?? true
    }

    /// The apps that the authority names; none where it cannot be asked. Only its administrators may ask a service.
    private func appsOfAuthority() throws -> [String] {
        let path = try SessionOptions.authorityPath(authority)
        // To ask an authority of an older release changes it.
        guard !SessionOptions.isService(path), access(path, R_OK) == 0, AuthorityCheck.isCurrent(path),
            let reply = try? JSON(parsing: Library.administer(path, #"{"action":"app.list"}"#))
        else { return [] }
        return reply["apps"].elements.compactMap { $0["id"].string }
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
        (options.state, options.newApp) = (temporary, true)
        return try body(options)
    }

    /// Remove a directory with all that is in it.
    private static func remove(_ path: String) {
        for name in StateCheck.names(path) { remove("\(path)/\(name)") }
        _ = Glibc.remove(path)
    }
}
