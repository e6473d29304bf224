import MAMMessages
import MAMPolicy
import MAMSupport

/// The discovery document of a service, as far as it is used.
struct ServiceDirectory: Sendable {
    let tenant: String
    let api: String

    private static let protocolVersion: JSON = 1

    /// Read the document of a service.
    init(_ json: JSON, _ settings: ServiceSettings) throws(AuthorityFailure) {
        guard (json["protocols"]?.array ?? []).contains(ServiceDirectory.protocolVersion) else {
            throw AuthorityFailure(
                .parsingFailure, "the service speaks no protocol that this version knows; update libmam")
        }
        guard let tenant = json["tenant"]?.string, let api = json["api"]?.string, settings.isOrigin(of: api) else {
            throw AuthorityFailure(.locationServiceFailure, "the service's document does not say where its API is")
        }
        (self.tenant, self.api) = (tenant, api)
    }
}

extension ServiceAuthority {
    private static let day: Int64 = 86_400_000

    /// The service's document, asked for once in a day and process. Without an answer the service is not found (204).
    func directory() throws(AuthorityFailure) -> ServiceDirectory {
        if let expected = memory.held({ $0.expected }), !expected.isService || expected.id != settings.id {
            throw AuthorityFailure(
                .parsingFailure,
                "it is another authority (\(settings.id)) than the one that this app knows (\(expected.id)); correct the settings, "
                    + "or give the known one up with mamctl authority forget")
        }
        let now = clock.sinceBoot()
        if let kept = memory.held({ $0.directory }), now < kept.until { return kept.document }
        let url = settings.url + "/.well-known/mam-authority"
        let reply = try exchange("GET", url, [], [], networkFailure: .locationServiceFailure)
        let failure: AuthorityFailure
        do throws(AuthorityFailure) {
            let json = try judge(reply, "GET", url, nil, networkFailure: .locationServiceFailure).json
            guard reply.status == 200 else {
                throw AuthorityFailure(.locationServiceFailure, "there is no document of a service")
            }
            let document = try ServiceDirectory(json, settings)
            let until = TimeSpan(milliseconds: now.milliseconds + ServiceAuthority.day)
            memory.held { $0.directory = (document, until) }
            return document
        } catch { failure = error }
        throw AuthorityFailure(.locationServiceFailure, failure.message)
    }
}
