import MAMDirectory
import MAMMessages
import MAMSupport

/// The number of the latest change, by which a client notices an older database, and its seal, by which the service does.
extension Service {
    private static let purpose: StaticString = "libmam sequence 1"

    func stamp(_ store: Store, _ now: Instant) throws(MAMError) -> [JSON.Member] {
        let number = try store.sequence()
        return [
            ("time", .string(now.rfc3339)), ("sequence", .integer(number)),
            ("sequenceSeal", .string(base64url(try files.key.seal(Service.purpose, [tenant, String(number)])))),
        ]
    }

    /// The problem where a client has a number that this service sealed and that its database has not reached: the database is an
    /// old copy, which must not answer.
    func olderDatabase(_ store: Store, _ number: Int64?, _ seal: String?) throws(MAMError) -> Problem? {
        guard let number, let seal = seal.flatMap(bytes(base64url:)), number > (try store.sequence()),
            try files.key.isSeal(seal, of: Service.purpose, [tenant, String(number)])
        else { return nil }
        olderThan = max(olderThan ?? 0, number)
        report("the database is older than a client has seen (\(number)): it was put back from a copy")
        return Problem(refusal: .busy, detail: "the service's database is an old copy", retryAfter: 600)
    }
}
