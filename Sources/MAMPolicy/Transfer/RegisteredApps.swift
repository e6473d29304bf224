import MAMSupport

/// The app registry as one app reads it at one time.
public struct RegisteredApps: Sendable {
    /// Every app with an entry, by id.
    public let apps: [RegisteredApp]

    /// Creates the list of registered apps.
    public init(_ apps: [RegisteredApp]) { self.apps = apps }

    /// Returns the app with this id.
    func app(_ id: String) -> RegisteredApp? { apps.first { $0.id.utf8.elementsEqual(id.utf8) } }

    /// Returns the apps that this program has checked in as.
    func apps(of program: Executable) -> [RegisteredApp] {
        apps.filter { $0.entry?.executables.contains { $0.isSameFile(as: program) } == true }
    }

    /// The result of a lookup.
    public enum Finding: Sendable {
        /// The program is managed as these apps: one, unless several apps share the program.
        case managed([RegisteredApp])
        case unmanaged(why: String)
    }

    /// Looks a name up; `program` returns the executable of a path or process.
    public func find(_ query: AppQuery, program: (AppQuery.Name) -> Executable?) -> Finding {
        switch query.name {
        case .app(let id):
            guard let app = app(id) else { return .unmanaged(why: "no such app is in the registry") }
            return app.problem.map { .unmanaged(why: $0) } ?? .managed([app])
        case .executable, .process:
            guard let program = program(query.name) else {
                return .unmanaged(why: "there is no such program, or it belongs to another user")
            }
            let found = apps(of: program)
            // Compare the file, not its name: a link to an interpreter is an interpreter.
            guard !program.runsOthers, !found.contains(where: { $0.runsOthers(as: program) }) else {
                return .unmanaged(why: "the program runs any other that it is given, and says nothing of which")
            }
            let managed = found.filter(\.isManaged)
            if !managed.isEmpty { return .managed(managed) }
            return .unmanaged(why: found.first?.problem ?? "no app in the registry has this program")
        case .scheme: return .unmanaged(why: "the registry has no schemes")
        }
    }

    /// The reply of `mam_managed_app`.
    public static func json(_ finding: Finding) -> JSON {
        switch finding {
        case .managed(let apps): ["managed": true, "apps": .strings(apps.map(\.id)), "problem": .null]
        case .unmanaged(let why): ["managed": false, "apps": [], "problem": .string(why)]
        }
    }
}
