import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// The delivery of a check-in as it goes over the wire, with the tags by which a client says which one it has.
struct Delivered {
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
            ("upn", .string(reply.upn)), ("tenantId", .optional(reply.tenantId)),
            ("isDisabled", .bool(reply.isDisabled)), ("interval", .optional(reply.interval?.iso8601)),
            ("domains", .strings(reply.domains)),
            ("policyTag", .string(policyTag)), ("appsTag", .string(appsTag)),
        ]
    }

    /// The members of a reply to a client that has these tags.
    func members(policyTag: String?, appsTag: String?, exchangeEpoch: Int64) -> [JSON.Member] {
        let isUnchanged = policyTag == self.policyTag && appsTag == self.appsTag
        let common = common + [("exchangeEpoch", .integer(exchangeEpoch))]
        guard !isUnchanged else { return [("result", "unchanged")] + common }
        return [("result", "changed")] + common + documents + (appsTag == self.appsTag ? [] : [("apps", apps)])
    }

    private static func tag(_ json: JSON) -> String { base64url(Array(sha256(json.utf8).prefix(16))) }
}
