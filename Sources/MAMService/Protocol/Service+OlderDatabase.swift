import MAMDirectory
import MAMMessages
import MAMSupport

/// The number of the latest change, by which a client notices an older database, and its seal, by which the service does.
extension Service {
    func stamp(_ store: Store, _ now: Instant) throws(MAMError) -> [JSON.Member] {
        try checkIns.stamp(try store.sequence(), now)
    }

    /// The problem of a request for a registration that there is not. No signature can be judged, but the seal proves by itself that an
    /// old copy of the database is why: then the app keeps its registration until the right one is back.
    func unknown(_ request: ServiceRequest, _ call: Route.Call) throws(Problem) -> Problem {
        let gone = Problem(refusal: .gone)
        guard call == .checkIn, let json = try? JSONReader.read(request.body) else { return gone }
        let (number, seal) = (json["sequence"]?.integer, json["sequenceSeal"]?.string)
        return try reading { (store) throws(MAMError) in try olderDatabase(store, number, seal) } ?? gone
    }

    /// The problem where a client has a number that this service sealed and that its database has not reached: the database is an
    /// old copy, which must not answer.
    func olderDatabase(_ store: Store, _ number: Int64?, _ seal: String?) throws(MAMError) -> Problem? {
        guard let number, let seal = seal.flatMap(bytes(base64url:)), number > (try store.sequence()),
            try files.key.isSeal(seal, ofSequence: number, tenant: tenant)
        else { return nil }
        checkIns.state.withLock { $0.olderThan = max($0.olderThan ?? 0, number) }
        report("the database is older than a client has seen (\(number)): it was put back from a copy")
        return Problem(refusal: .busy, detail: "the service's database is an old copy", retryAfter: 600)
    }
}
