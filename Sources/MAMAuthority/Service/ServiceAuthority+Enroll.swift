import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

extension ServiceAuthority {
    /// Enroll an account. `token` is an invitation, an access token, or the text of a check-in for a renewal. The keys stay until the
    /// first check-in: a request whose reply was lost, or whose enrollment was not stored, is repeated without harm.
    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, marks: WipeMarks, token: SecretBytes?,
        boundTo key: RequestKey? = nil, cause: EnrollmentCause
    ) throws(AuthorityFailure) -> Enrollment {
        // The marks are of authorities, and which one this is is known once it has been reached.
        if !marks.isEmpty, identity == nil { _ = try directory() }
        let wipeMark = marks.lowest(of: identity)
        let name = [account.accountId, account.upn, app.id].map { $0 ?? "" }.joined(separator: "\n")
        let (former, authorization) = try ServiceAuthority.proof(token, key, cause)
        for isRepeated in [false, true] {
            let keys = try pendingKeys(name)
            let call = Call(
                path: "/registrations", keyId: keys.thumbprint, keys: keys, authorization: authorization,
                isEnrollment: true,
                body: [
                    "account": [
                        "accountId": .optional(account.accountId), "upn": .optional(account.upn),
                        "tenantId": .optional(account.tenantId),
                    ],
                    "app": app.json, "host": host.json, "wipeMark": wipeMark.map(JSON.integer) ?? .null,
                    "key": JSONWebKey.p256(keys.request.publicKey),
                    "sealKey": JSONWebKey.x25519(keys.receiving.publicKey), "replaces": .optional(former),
                ])
            do throws(AuthorityFailure) { return try enrollment(ask(call), keys, mark: wipeMark) } catch {
                // A registration with these keys has ended: new ones are made, once.
                guard error.code == .policyRecordGone else { throw error }
                guard !isRepeated else { break }
                let ended = ServiceRegistration(id: "", keys: keys).text
                try forgetPendingKeys { $0 == ended }
            }
        }
        throw AuthorityFailure(.parsingFailure, "the service knows keys that were made for it just now")
    }

    private func enrollment(
        _ json: JSON, _ keys: RegistrationKeys, mark: Int64?
    ) throws(AuthorityFailure) -> Enrollment {
        if json["result"] == "wipe", mark != nil, let wipe = json["wipe"]?.integer {
            var failure = AuthorityFailure(
                .wipeReceived, "The account has to be wiped here before it is enrolled again")
            failure.wipe = RequiredWipe(id: wipe, accountId: json["accountId"]?.string, authority: identity)
            throw failure
        }
        guard let id = json["registration"]?.string, ServiceRegistration.isId(id),
            let accountId = json["accountId"]?.string, (try? Identity(accountId)) != nil,
            let upn = json["upn"]?.string, (try? Identity(upn)) != nil, let wipeMark = json["wipeMark"]?.integer,
            let exchangeMark = json["exchangeMark"]?.integer
        else { throw AuthorityFailure(.parsingFailure, "the service's reply lacks what an enrollment has") }
        let registration = ServiceRegistration(id: id, keys: keys)
        var delivery = json["checkIn"].flatMap { Delivery($0, former: nil) }
        var unread = delivery.flatMap { delivery in json["checkIn"].flatMap { delivery.reply($0, identity) } }
        unread?.time = serviceTime()
        let until = TimeSpan(milliseconds: clock.sinceBoot().milliseconds + ServiceAuthority.minute)
        delivery?.unread = unread.map { ($0, until) }
        let first = delivery
        memory.withLock { $0.deliveries[id] = first }
        var enrollment = Enrollment(
            accountId: accountId, upn: upn, tenantId: json["tenantId"]?.string, registration: registration.text,
            wipeMark: wipeMark, exchangeMark: exchangeMark)
        enrollment.identity = identity
        return enrollment
    }

    private static let minute: Int64 = 60_000

    /// The registration that is renewed, and the field Authorization.
    private static func proof(
        _ token: SecretBytes?, _ key: RequestKey?, _ cause: EnrollmentCause
    ) throws(AuthorityFailure) -> (former: String?, authorization: Authorization?) {
        guard case .renewal(let text) = cause else { return (nil, try authorization(token, boundTo: key)) }
        guard let former = ServiceRegistration(text), let token else { throw AuthorityFailure(.authRequired) }
        return (former.id, try Authorization("MAM-Renew", token))
    }

    /// The right to make a request.
    struct Authorization: Sendable {
        /// The field Authorization.
        let field: SecretBytes
        /// A token that is bound to a key, and the key.
        let bound: (token: SecretBytes, key: RequestKey)?

        /// A token or another secret behind the name of its kind.
        fileprivate init(
            _ scheme: String, _ token: SecretBytes, boundTo key: RequestKey? = nil
        ) throws(AuthorityFailure) {
            field = try ProviderClient.mappingErrors { () throws(MAMError) in
                try SecretBytes(Array("\(scheme) ".utf8), token)
            }
            bound = key.map { (token, $0) }
        }

        /// The field with the proof of the key, for a request to a URL that another key signs; nil where none is needed.
        func proof(
            url: String, at time: Instant, signer: RequestKey, nonce: String?
        ) throws(MAMError) -> MessageField? {
            guard let (token, key) = bound else { return nil }
            let text = try KeyProof.text(
                method: "POST", url: url, at: time, nonce: nonce, token: token,
                signer: JSONWebKey.thumbprint(p256: signer.publicKey), by: key)
            return ("dpop", text)
        }
    }

    /// The authorization by an invitation, which has letters, digits and "-" alone, or by an access token.
    static func authorization(
        _ token: SecretBytes?, boundTo key: RequestKey? = nil
    ) throws(AuthorityFailure) -> Authorization? {
        guard let token else { return nil }
        guard VisibleText.is(token, upTo: longestAnswer) else {
            throw AuthorityFailure(.authRequired, "The answer is neither an invitation nor a token")
        }
        if let key { return try Authorization("DPoP", token, boundTo: key) }
        let isCode =
            token.count <= longestCode
            && token.withUnsafeBytes { bytes in
                bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
            }
        return try Authorization(isCode ? "MAM-Invite" : "Bearer", token)
    }

    private static let longestCode = 64
    /// The limit of a header is what a service takes.
    private static let longestAnswer = 8192
}

extension AppFacts {
    var json: JSON { ["id": .string(id), "version": .optional(version)] }
}

extension HostFacts {
    /// The head as it goes over the wire; null for none.
    var head: JSON { stateHead.isEmpty ? .null : .string(base64url(stateHead)) }

    var json: JSON {
        [
            "deviceTag": .string(deviceTag), "platform": .string(platform), "platformVersion": .string(platformVersion),
            "model": .optional(model), "libraryVersion": .string(libraryVersion),
            "stateGeneration": .integer(stateCounter), "stateHead": head,
        ]
    }
}
