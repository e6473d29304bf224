import MAMPolicy
import MAMSupport

/// The accounts, apps and requests that a simulation compares.
struct SimulationScope {
    /// A request of `mam_policy_check`.
    struct Request {
        let check: SimulatedRequest
        /// The index in ``otherAccounts`` of the account that the request names.
        let other: Int?
    }

    /// Account keys.
    let accounts: [[UInt8]]
    /// Accounts that requests name as the other side.
    let otherAccounts: [Identity]
    let apps: [String]
    let requests: [Request]
    let device: DeviceFacts

    init(_ request: SimulationRequest, accounts: [[UInt8]], apps: [String]) {
        self.accounts = SimulationScope.unique(accounts)
        self.apps = SimulationScope.unique(apps)
        device = request.device
        var indices: [Identity: Int] = [:]
        var names: [Identity] = []
        requests = request.requests.map { check in
            guard case .named(let name) = check.other else { return Request(check: check, other: nil) }
            let index = indices[name] ?? names.count
            if index == names.count { names.append(name) }
            indices[name] = index
            return Request(check: check, other: index)
        }
        otherAccounts = names
    }

    private static func unique<T: Hashable>(_ all: [T]) -> [T] {
        var seen: Set<T> = []
        return all.filter { seen.insert($0).inserted }
    }
}

/// The policies that check-ins deliver to every account and app of a scope, before or after the changes.
struct Deliveries {
    /// By account and app; nil for an account that no user has.
    let byAccount: [[Delivery]?]
    /// By index in ``SimulationScope/otherAccounts``, with the key of the account that the name means.
    let byOtherAccount: [(account: [UInt8], deliveries: [Delivery])?]

    init(_ scope: SimulationScope, from snapshot: AuthoritySnapshot) throws(MAMError) {
        byAccount = try scope.accounts.map { (account) throws(MAMError) in
            try snapshot.deliveries(to: account, in: scope.apps)
        }
        byOtherAccount = try scope.otherAccounts.map { (name) throws(MAMError) in
            guard let account = try snapshot.account(named: name),
                let deliveries = try snapshot.deliveries(to: account, in: scope.apps)
            else { return nil }
            return (account, deliveries)
        }
    }
}
