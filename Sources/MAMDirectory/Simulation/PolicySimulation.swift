import MAMPolicy
import MAMSupport

/// `mam_policy_simulate`: what administrative actions would change, and for which accounts. The actions run on a copy in memory,
/// by the code of `mam_admin`; what check-ins deliver before and after is compared.
public enum PolicySimulation {
    private static let maximumPairs = 10_000  // users times apps
    private static let maximumEvaluations = 1_000_000  // pairs times requests

    /// Simulate in a copy of a directory, which is left as it is.
    package static func make(
        _ copy: Store, at place: any DirectoryPlace, _ request: SimulationRequest, now: Instant
    ) throws(MAMError) -> JSON {
        let pool = PolicyPool()
        let before = AuthoritySnapshot(copy, pool)
        let earlier = try accounts(before, request)
        var warnings: [JSON] = []
        let (scope, after) = try copy.database.rolledBack { () throws(MAMError) -> (SimulationScope, Deliveries) in
            let imported = try perform(request.changes, AdministrationCall.Context(store: copy, place: place, now: now))
            warnings = try ImportedDocuments(imported, in: request.apps).warnings(copy)
            let after = AuthoritySnapshot(copy, pool)
            let scope = try makeScope(of: request, accountsBefore: earlier, after)
            return (scope, try Deliveries(scope, from: after))
        }
        let comparison = SimulationComparison(
            scope: scope, pool: pool, before: try Deliveries(scope, from: before), after: after)
        return try comparison.json(warnings: warnings, launch: request.launch)
    }

    /// Perform the changes; returns the replies of imports.
    private static func perform(
        _ changes: [SimulationRequest.Change], _ context: AdministrationCall.Context
    ) throws(MAMError) -> [JSON] {
        var imports: [JSON] = []
        for (index, change) in changes.enumerated() {
            do throws(MAMError) {
                let reply = try change.action.body(AdministrationCall(context, change.arguments))
                if change.action.name.hasSuffix(".import") { imports.append(reply) }
            } catch {
                throw MAMError(error.code, "\(change.action.name): \(error.message)", error.detail).at(
                    index, of: "changes")
            }
        }
        return imports
    }

    /// The keys of the accounts to compare; nil for a name that the snapshot does not have.
    private static func accounts(_ snapshot: AuthoritySnapshot, _ request: SimulationRequest) throws(MAMError)
        -> [[UInt8]?]
    {
        if let users = request.users {
            return try users.map { (name) throws(MAMError) in try snapshot.account(named: name) }
        }
        guard let all = try snapshot.accounts(limit: maximumPairs) else {
            throw .argument("users", "the authority has more than \(maximumPairs) users; name those to look at")
        }
        return all
    }

    /// The accounts, apps and requests to compare: those that exist before or after the changes.
    private static func makeScope(
        of request: SimulationRequest, accountsBefore earlier: [[UInt8]?], _ after: AuthoritySnapshot
    ) throws(MAMError) -> SimulationScope {
        let later = try accounts(after, request)
        for (index, user) in (request.users ?? []).enumerated() where earlier[index] == nil && later[index] == nil {
            throw MAMError(
                .notFound, "there is no user \(ForeignText.quoted(user.text)), before or after", [("argument", "users")]
            ).at(index, of: "users")
        }
        var apps = request.apps
        if apps == nil { apps = try after.apps(limit: maximumPairs) }
        guard let apps else {
            throw .argument("apps", "the authority knows more than \(maximumPairs) apps; name those to look at")
        }
        let scope = SimulationScope(request, accounts: (earlier + later).compactMap { $0 }, apps: apps)
        let pairs = (scope.accounts.count + scope.otherAccounts.count) * scope.apps.count
        guard pairs <= maximumPairs else {
            throw .argument(
                "users",
                "\(scope.accounts.count) users in \(scope.apps.count) apps are too many: at most \(maximumPairs) "
                    + "pairs are compared; name users or apps")
        }
        guard pairs * max(request.requests.count, 1) <= maximumEvaluations else {
            throw .argument(
                "requests",
                "\(pairs) users in apps times \(request.requests.count) requests are too many: at most "
                    + "\(maximumEvaluations) questions are asked; give fewer")
        }
        return scope
    }
}
