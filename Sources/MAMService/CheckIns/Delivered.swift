import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// The delivery of a check-in as it goes over the wire, with the tags by which a client says which one it has. Users whom the same
/// documents reach have the same one.
struct Delivered: Sendable {
    /// Members that every reply has.
    private let common: [JSON.Member]
    private let documents: [JSON.Member]
    private let apps: JSON
    /// The tag of the policies and configurations.
    let policyTag: String
    /// The tag of the list of managed apps.
    let appsTag: String

    init(_ reply: CheckInReply) {
        documents = [
            ("policies", .array(reply.policies.map { ["id": .string($0.id), "document": $0.document] })),
            (
                "configurations",
                .array(
                    reply.configurationRecords.map {
                        ["id": .string($0.configuration.id), "document": $0.document]
                    })
            ),
            ("pins", []),
        ]
        apps = reply.apps.json
        policyTag = Delivered.tag(.object(documents))
        appsTag = Delivered.tag(apps)
        common = [
            ("interval", .optional(reply.interval?.iso8601)), ("domains", .strings(reply.domains)),
            ("policyTag", .string(policyTag)), ("appsTag", .string(appsTag)),
        ]
    }

    /// The members of a reply to a person whose client has these tags.
    func members(to person: DeliveredPerson, policyTag: String?, appsTag: String?, exchangeEpoch: Int64) -> [JSON
        .Member]
    {
        let isUnchanged = policyTag == self.policyTag && appsTag == self.appsTag
        let common = person.members + common + [("exchangeEpoch", .integer(exchangeEpoch))]
        guard !isUnchanged else { return [("result", "unchanged")] + common }
        return [("result", "changed")] + common + documents + (appsTag == self.appsTag ? [] : [("apps", apps)])
    }

    private static func tag(_ json: JSON) -> String { base64url(Array(sha256(json.utf8).prefix(16))) }
}

/// The person of a reply.
struct DeliveredPerson: Sendable {
    let upn: String
    let tenantId: String
    let isEnabled: Bool

    fileprivate var members: [JSON.Member] {
        [("upn", .string(upn)), ("tenantId", .string(tenantId)), ("isDisabled", .bool(!isEnabled))]
    }
}

extension DeliveredPerson {
    init(_ user: User) { self.init(upn: user.upn, tenantId: user.tenantId, isEnabled: user.isEnabled) }
}
