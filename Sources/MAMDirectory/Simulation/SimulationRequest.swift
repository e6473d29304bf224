import MAMPolicy
import MAMSupport

/// A request of `mam_policy_simulate`: the changes, and the users, apps and requests to compare.
package struct SimulationRequest: Sendable {
    /// One administrative action.
    struct Change: Sendable {
        let action: Action
        let arguments: Arguments
    }

    private static let action = Action.read(
        "simulate",
        [
            .required("changes", .list(.document, maximum: 1000)), .optional("users", .list(.name, maximum: 10_000)),
            .optional("apps", .list(.app, maximum: 10_000)), .optional("requests", .list(.document, maximum: 1000)),
            .optional("deviceLock", .oneOf(DeviceLock.allCases.map(\.rawValue))), .optional("launch", .document),
        ]
    ) { _ in .null }
    /// Actions that change which policies reach a user begin with one of these; others cannot be simulated.
    private static let prefixes = ["user.", "group.", "policy."]

    let changes: [Change]
    /// nil for all users of the authority.
    let users: [Identity]?
    /// nil for all apps that the authority knows.
    let apps: [String]?
    let requests: [SimulatedRequest]
    let device: DeviceFacts
    /// The state in which launches are simulated; nil for none.
    let launch: LaunchState?

    package init(_ json: JSON, now: Instant, libraryVersion: String) throws(MAMError) {
        let arguments = try SimulationRequest.action.arguments(ofRequest: json)
        changes = try SimulationRequest.readAll(arguments["changes"]?.array ?? [], "changes", SimulationRequest.change)
        users = try arguments["users"]?.array?.map { (name) throws(MAMError) in
            try Identity(name.string ?? "", argument: "users")
        }
        apps = arguments["apps"]?.array?.compactMap(\.string)
        let requests = try arguments["requests"]?.array.map { (given) throws(MAMError) in
            try SimulationRequest.readAll(given, "requests") { (request) throws(MAMError) in
                try SimulatedRequest(request)
            }
        }
        self.requests = requests ?? SimulatedRequest.all
        let lock = arguments.text("deviceLock").flatMap(DeviceLock.init)
        device = DeviceFacts(lock: lock ?? .unknown)
        launch = try arguments["launch"].map { (json) throws(MAMError) in
            try LaunchStateRequest.read(json, lock: lock, now: now, libraryVersion: libraryVersion)
        }
    }

    private static func change(_ json: JSON) throws(MAMError) -> Change {
        let (action, arguments) = try ActionTable.read(json)
        guard action.mode == .write else {
            throw .argument("action", "\(action.name) changes nothing that is there; give it to mam_admin")
        }
        guard prefixes.contains(where: { action.name.hasPrefix($0) }) else {
            throw .argument(
                "action", "\(action.name) does not change which policies reach whom, so it is not simulated")
        }
        return Change(action: action, arguments: arguments)
    }

    /// Read each element; an error names the list and the index.
    private static func readAll<T>(
        _ elements: [JSON], _ list: String, _ read: (JSON) throws(MAMError) -> T
    ) throws(MAMError) -> [T] {
        var values: [T] = []
        for (index, element) in elements.enumerated() {
            do throws(MAMError) { values.append(try read(element)) } catch { throw error.at(index, of: list) }
        }
        return values
    }
}

extension MAMError {
    /// The error, for one element of a list in the request.
    func at(_ index: Int, of list: String) -> MAMError {
        MAMError(
            code, "\(list)[\(index)]: \(message)",
            detail + [("list", .string(list)), ("index", .integer(Int64(index)))])
    }
}
