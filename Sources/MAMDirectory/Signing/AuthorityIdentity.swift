import MAMProtection
import MAMSupport

/// The identity of an authority: its id and its latest key, and the latest revision of its content that was seen.
public struct AuthorityIdentity: Equatable, Sendable {
    /// The authority's id, which never changes.
    public let id: String
    /// The number of the statement that introduced the key, from 1.
    public let number: Int64
    /// The key that verifies the authority's signatures.
    public let key: VerifyingKey
    /// The chain of statements from the first key to this one.
    let statements: [KeyStatement]
    /// The number of changes that administrators had made; 0 for a service, which counts its changes itself. An authority with a lower
    /// one is an older copy.
    public var revision: Int64 = 0
    /// The mark of the latest change; nil before the first one, and for a service.
    var mark: Int64?
    /// Whether it is a service on the network. It signs replies, and no document by itself.
    public let isService: Bool

    init(id: String, number: Int64, key: VerifyingKey, statements: [KeyStatement], isService: Bool = false) {
        self.id = id
        self.number = number
        self.key = key
        self.statements = statements
        self.isService = isService
    }

    /// The identity of a service, with the key that signs its replies; `number` rises with each new key.
    public init(ofService id: String, key: VerifyingKey, number: Int64 = 1) {
        self.init(id: id, number: number, key: key, statements: [], isService: true)
    }

    /// {"id","number","key","revision","mark","statements":[{"payload","signature"}…]}, bytes in base64.
    public var json: JSON {
        let members: JSON = [
            "id": .string(id), "number": .integer(number), "key": .string(key.base64), "revision": .integer(revision),
            "mark": mark.map(JSON.integer) ?? .null,
            "statements": .array(
                statements.map {
                    ["payload": .string($0.payload), "signature": .optional(signatureText($0.signature))]
                }),
        ]
        return isService ? .object((members.object ?? []) + [("isService", true)]) : members
    }

    /// Read that form; nil where it is invalid.
    public init?(json: JSON) {
        guard let id = json["id"]?.string, let number = json["number"]?.integer, number > 0,
            let key = json["key"]?.string.flatMap(VerifyingKey.init(base64:))
        else { return nil }
        let statements = (json["statements"]?.array ?? []).map { statement in
            KeyStatement(
                payload: statement["payload"]?.string ?? "",
                signature: statement["signature"]?.string.flatMap {
                    try? Array($0.utf8).withUnsafeBytes { try Base64.decode($0) }
                } ?? [])
        }
        self.init(
            id: id, number: number, key: key, statements: statements, isService: json["isService"]?.bool ?? false)
        // Absent where an older release stored it.
        revision = json["revision"]?.integer ?? 0
        mark = json["mark"]?.integer
    }

    /// Whether this is a later identity of the same authority.
    public func isNewer(than other: AuthorityIdentity) -> Bool {
        id == other.id && (number, revision) > (other.number, other.revision)
    }

    /// Equal identities have the same key of the same authority.
    public static func == (a: AuthorityIdentity, b: AuthorityIdentity) -> Bool {
        a.id == b.id && a.number == b.number && a.key == b.key && a.isService == b.isService
    }
}
