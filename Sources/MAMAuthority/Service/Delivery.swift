import MAMPolicy
import MAMSupport

/// The policies of a check-in, with the tags by which the service knows whether they are still the newest.
struct Delivery: Sendable {
    let policies: [PolicyRecord]
    let configurations: [ConfigurationRecord]
    let apps: TargetedApps
    let policyTag: String
    let appsTag: String
    /// The reply that an enrollment brought, for the check-in that follows it, and until when that is.
    var unread: (reply: CheckInReply, until: TimeSpan)?

    /// Read the reply to a check-in. A service that says that nothing changed refers to `former`. nil where it is not understood.
    init?(_ json: JSON, former: Delivery?) {
        guard let policyTag = json["policyTag"]?.string, let appsTag = json["appsTag"]?.string else { return nil }
        (self.policyTag, self.appsTag) = (policyTag, appsTag)
        switch json["result"]?.string {
        case "unchanged":
            guard let former, former.policyTag == policyTag, former.appsTag == appsTag else { return nil }
            (policies, configurations, apps) = (former.policies, former.configurations, former.apps)
        case "changed":
            guard let policies = json["policies"]?.array, let configurations = json["configurations"]?.array,
                let apps = TargetedApps(json: json["apps"]) ?? (former?.appsTag == appsTag ? former?.apps : nil)
            else { return nil }
            self.apps = apps
            var read: [PolicyRecord] = []
            for policy in policies {
                guard let id = policy["id"]?.string, let document = policy["document"],
                    (try? PolicyDocument(id: id, json: document)) != nil
                else { return nil }
                read.append(PolicyRecord(id: id, document: document))
            }
            self.policies = read
            var records: [ConfigurationRecord] = []
            for configuration in configurations {
                guard let id = configuration["id"]?.string, let document = configuration["document"],
                    let parsed = try? AppConfigurationDocument(id: id, json: document)
                else { return nil }
                records.append(ConfigurationRecord(configuration: parsed.configuration, document: document))
            }
            self.configurations = records
        default: return nil
        }
    }

    /// The reply that a session understands.
    func reply(_ json: JSON, _ identity: AuthorityIdentity?) -> CheckInReply? {
        guard let upn = json["upn"]?.string, let isDisabled = json["isDisabled"]?.bool else { return nil }
        var reply = CheckInReply(
            upn: upn, tenantId: json["tenantId"]?.string, policies: policies, configurations: configurations,
            apps: apps, interval: json["interval"]?.string.flatMap(TimeSpan.init(iso8601:)), isDisabled: isDisabled,
            domains: (json["domains"]?.array ?? []).compactMap(\.string),
            exchangeEpoch: max(json["exchangeEpoch"]?.integer ?? 0, 0))
        reply.identity = identity
        return reply
    }
}
