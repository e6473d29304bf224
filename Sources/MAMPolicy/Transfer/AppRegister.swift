import MAMSupport

/// The registry as one app sees it at one moment.
public struct AppRegister: Sendable {
    /// Every app that has an entry, by id.
    public let apps: [RegisteredApp]

    /// A registry.
    public init(_ apps: [RegisteredApp]) { self.apps = apps }

    /// The app of an id.
    func app(_ id: String) -> RegisteredApp? { apps.first { $0.id.utf8.elementsEqual(id.utf8) } }

    /// The apps that a program has checked in as.
    func apps(of program: Executable) -> [RegisteredApp] {
        apps.filter { $0.entry?.executables.contains { $0.isSameFile(as: program) } == true }
    }

    /// What a name comes to.
    public enum Finding: Sendable {
        /// Managed, as these apps (one, unless several share a program).
        case managed([RegisteredApp])
        case unmanaged(why: String)
    }

    /// Whether a name is a managed app's; `program` tells which file a path or a process is.
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
            // By whatever name: a link to an interpreter is one.
            guard !program.runsOthers, !found.contains(where: { $0.runsOthers(as: program) }) else {
                return .unmanaged(why: "the program runs any other that it is given, and says nothing of which")
            }
            let managed = found.filter(\.isManaged)
            if !managed.isEmpty { return .managed(managed) }
            return .unmanaged(why: found.first?.problem ?? "no app in the registry has this program")
        case .scheme: return .unmanaged(why: "the registry has no schemes")
        }
    }

    /// The shape of `mam_managed_app`.
    public static func json(_ finding: Finding) -> JSON {
        switch finding {
        case .managed(let apps): ["managed": true, "apps": .strings(apps.map(\.id)), "problem": .null]
        case .unmanaged(let why): ["managed": false, "apps": [], "problem": .string(why)]
        }
    }
}
