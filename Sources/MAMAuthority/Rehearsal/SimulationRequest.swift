import MAMPolicy
import MAMSupport

/// What is to be tried out, and whom and what to look at; mam.h.
struct SimulationRequest: Sendable {
    /// One administrative action.
    struct Change: Sendable {
        let action: Action
        let arguments: Arguments
    }

    private static let action = Action.read(
        "simulate",
        [
            .required("changes", .list(.document, most: 1000)), .optional("users", .list(.name, most: 10_000)),
            .optional("apps", .list(.app, most: 10_000)), .optional("requests", .list(.document, most: 1000)),
            .optional("deviceLock", .word(DeviceLock.allCases.map(\.rawValue))), .optional("launch", .document),
        ]
    ) { _ in .null }
    /// Whose actions say which policies reach whom. The others leave that as it is, or are done by apps.
    private static let kinds = ["user.", "group.", "policy."]

    let changes: [Change]
    /// nil: all that the authority knows.
    let users: [Identity]?
    let apps: [String]?
    let requests: [RehearsedRequest]
    let device: DeviceFacts
    /// Where launches are rehearsed; nil: none are.
    let launch: LaunchState?

    init(_ json: JSON, now: Instant, libraryVersion: String) throws(MAMError) {
        let arguments = try SimulationRequest.action.arguments(ofRequest: json)
        changes = try SimulationRequest.each(arguments["changes"]?.array ?? [], "changes", SimulationRequest.change)
        users = try arguments["users"]?.array?.map { (name) throws(MAMError) in
            try Identity(name.string ?? "", argument: "users")
        }
        apps = arguments["apps"]?.array?.compactMap(\.string)
        let requests = try arguments["requests"]?.array.map { (given) throws(MAMError) in
            try SimulationRequest.each(given, "requests") { (request) throws(MAMError) in try RehearsedRequest(request)
            }
        }
        self.requests = requests ?? RehearsedRequest.all
        let lock = arguments.text("deviceLock").flatMap(DeviceLock.init)
        device = DeviceFacts(lock: lock ?? .unknown)
        launch = try arguments["launch"].map { (json) throws(MAMError) in
            try LaunchStateRequest.read(json, lock: lock, now: now, libraryVersion: libraryVersion)
        }
    }

    private static func change(_ json: JSON) throws(MAMError) -> Change {
        let (action, arguments) = try ActionTable.read(json)
        guard action.need == .writing else {
            throw .argument("action", "\(action.name) changes nothing that is there; give it to mam_admin")
        }
        guard kinds.contains(where: { action.name.hasPrefix($0) }) else {
            throw .argument(
                "action", "\(action.name) does not change which policies reach whom, so it is not rehearsed")
        }
        return Change(action: action, arguments: arguments)
    }

    /// Read elements, saying which one is wrong.
    private static func each<T>(
        _ elements: [JSON], _ list: String, _ read: (JSON) throws(MAMError) -> T
    ) throws(MAMError) -> [T] {
        var made: [T] = []
        for (index, element) in elements.enumerated() {
            do throws(MAMError) { made.append(try read(element)) } catch { throw error.at(index, of: list) }
        }
        return made
    }
}

extension MAMError {
    /// The same, of one element of a list in the request.
    func at(_ index: Int, of list: String) -> MAMError {
        MAMError(
            code, "\(list)[\(index)]: \(message)",
            detail + [("list", .string(list)), ("index", .integer(Int64(index)))])
    }
}
