import MAMPolicy
import MAMSupport

/// `mam_policy_simulate`: what administrative actions would change, for whom. They are done on a copy in memory, by the
/// code that does them for real, and the authority is asked before and after as check-ins ask it.
public enum PolicySimulation {
    /// Most users times apps that are compared.
    private static let mostPairs = 10_000
    /// Most questions: users times apps times requests.
    private static let mostQuestions = 1_000_000

    /// Try out by the authority in the file `path`, which is only read.
    public static func make(
        path: String, request: JSON, now: Instant, libraryVersion: String
    ) throws(MAMError) -> JSON {
        let request = try SimulationRequest(request, now: now, libraryVersion: libraryVersion)
        let file = AuthorityFile(path: path)
        let copy = try ForkGate.shared.pass { () throws(MAMError) in try file.copyInMemory() }
        let shelf = PolicyShelf()
        let before = Scene(copy, shelf)
        let earlier = try accounts(before, request)
        var warnings: [JSON] = []
        let (cast, after) = try copy.database.undone { () throws(MAMError) -> (Cast, Act) in
            warnings = try perform(request.changes, AdministrationCall.Place(store: copy, file: file, now: now))
            let after = Scene(copy, shelf)
            let cast = try gather(request, earlier, after)
            return (cast, try Act(cast, in: after))
        }
        let comparison = Comparison(cast: cast, shelf: shelf, before: try Act(cast, in: before), after: after)
        return try comparison.json(warnings: warnings, launch: request.launch)
    }

    /// Do what is to be tried out; what the imports warned about.
    private static func perform(
        _ changes: [SimulationRequest.Change], _ place: AdministrationCall.Place
    ) throws(MAMError) -> [JSON] {
        var warnings: [JSON] = []
        for (index, change) in changes.enumerated() {
            do throws(MAMError) {
                let reply = try change.action.body(AdministrationCall(place, change.arguments))
                warnings += reply["warnings"]?.array ?? []
            } catch {
                throw MAMError(error.code, "\(change.action.name): \(error.message)", error.detail).at(
                    index, of: "changes")
            }
        }
        return warnings
    }

    /// The accounts that are looked at, as far as a scene knows them.
    private static func accounts(_ scene: Scene, _ request: SimulationRequest) throws(MAMError) -> [[UInt8]?] {
        if let users = request.users {
            return try users.map { (name) throws(MAMError) in try scene.account(named: name) }
        }
        guard let all = try scene.accounts(most: mostPairs) else {
            throw .argument("users", "the authority has more than \(mostPairs) users; name those to look at")
        }
        return all
    }

    /// Who and what is looked at, before and after.
    private static func gather(
        _ request: SimulationRequest, _ earlier: [[UInt8]?], _ after: Scene
    ) throws(MAMError) -> Cast {
        let later = try accounts(after, request)
        for (index, user) in (request.users ?? []).enumerated() where earlier[index] == nil && later[index] == nil {
            throw MAMError(
                .notFound, "there is no user \(Line.quoted(user.text)), before or after", [("argument", "users")]
            ).at(index, of: "users")
        }
        var apps = request.apps
        if apps == nil { apps = try after.apps(most: mostPairs) }
        guard let apps else {
            throw .argument("apps", "the authority knows more than \(mostPairs) apps; name those to look at")
        }
        let cast = Cast(request, accounts: (earlier + later).compactMap { $0 }, apps: apps)
        let pairs = (cast.accounts.count + cast.names.count) * cast.apps.count
        guard pairs <= mostPairs else {
            throw .argument(
                "users",
                "\(cast.accounts.count) users in \(cast.apps.count) apps are too many: at most \(mostPairs) "
                    + "pairs are compared; name users or apps")
        }
        guard pairs * max(request.requests.count, 1) <= mostQuestions else {
            throw .argument(
                "requests",
                "\(pairs) users in apps times \(request.requests.count) requests are too many: at most "
                    + "\(mostQuestions) questions are asked; give fewer")
        }
        return cast
    }
}
