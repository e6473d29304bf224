import MAMPolicy
import MAMSupport

/// Who and what a rehearsal looks at.
struct Cast {
    /// A request, and which of ``names`` it names.
    struct Question {
        let request: RehearsedRequest
        let name: Int?
    }

    /// Keys.
    let accounts: [[UInt8]]
    /// Other accounts that requests name.
    let names: [Identity]
    let apps: [String]
    let questions: [Question]
    let device: DeviceFacts

    init(_ request: SimulationRequest, accounts: [[UInt8]], apps: [String]) {
        self.accounts = Cast.unique(accounts)
        self.apps = Cast.unique(apps)
        device = request.device
        var places: [Identity: Int] = [:]
        var names: [Identity] = []
        questions = request.requests.map { request in
            guard case .named(let name) = request.other else { return Question(request: request, name: nil) }
            let place = places[name] ?? names.count
            if place == names.count { names.append(name) }
            places[name] = place
            return Question(request: request, name: place)
        }
        self.names = names
    }

    private static func unique<T: Hashable>(_ all: [T]) -> [T] {
        var seen: Set<T> = []
        return all.filter { seen.insert($0).inserted }
    }
}

/// What everybody in the cast gets in one scene: by account and app; nil where nobody has the account.
struct Act {
    let holdings: [[Holding]?]
    /// The same for the names, with the account that each means.
    let named: [(account: [UInt8], holdings: [Holding])?]

    init(_ cast: Cast, in scene: Scene) throws(MAMError) {
        holdings = try cast.accounts.map { (account) throws(MAMError) in try scene.holdings(account, in: cast.apps) }
        named = try cast.names.map { (name) throws(MAMError) in
            guard let account = try scene.account(named: name),
                let holdings = try scene.holdings(account, in: cast.apps)
            else { return nil }
            return (account, holdings)
        }
    }
}
