import MAMMessages
import MAMPolicy
import MAMSupport

/// The discovery document of a service, as far as it is used.
struct ServiceDirectory: Sendable {
    let tenant: String
    let api: String

    private static let protocolVersion: JSON = 1
    private static let tooNewMessage = "the service speaks no protocol that this version knows; update libmam"
    private static var isTooNew: AuthorityFailure {
        var failure = AuthorityFailure(.parsingFailure, tooNewMessage)
        // It has signed the document, and will not change its mind within a day.
        (failure.isSigned, failure.retryAfter) = (true, .hours(24))
        return failure
    }

    /// Read the document of a service.
    init(_ json: JSON, _ settings: ServiceSettings) throws(AuthorityFailure) {
        guard let protocols = json["protocols"]?.array, let tenant = json["tenant"]?.string else {
            throw AuthorityFailure(.locationServiceFailure, "the service's document lacks what such a document has")
        }
        guard protocols.contains(ServiceDirectory.protocolVersion) else { throw ServiceDirectory.isTooNew }
        guard let api = json["api"]?.string, settings.isOrigin(of: api) else {
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
        do throws(AuthorityFailure) {
            let reply = try exchange("GET", url, [], [], networkFailure: .locationServiceFailure)
            let json = try judge(reply, "GET", url, nil, networkFailure: .locationServiceFailure).json
            guard reply.status == 200 else {
                throw AuthorityFailure(.locationServiceFailure, "there is no document of a service")
            }
            let document = try ServiceDirectory(json, settings)
            let until = TimeSpan(milliseconds: now.milliseconds + ServiceAuthority.day)
            memory.held { $0.directory = (document, until) }
            return document
        } catch { throw error.ofDiscovery }
    }
}

extension AuthorityFailure {
    /// The failure of a request for the service's document: the service is not found (204), whatever else happened; except where nothing
    /// came in time (216), or where the service itself says that this version is too old (206).
    fileprivate var ofDiscovery: AuthorityFailure {
        guard code != .timeout, !isSigned else { return self }
        var failure = AuthorityFailure(.locationServiceFailure, message)
        (failure.retryAfter, failure.isSuspicious) = (retryAfter, isSuspicious)
        return failure
    }
}
