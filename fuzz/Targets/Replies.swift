import MAMAuthority
import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

extension FuzzKeys {
    /// The keys of the service: one signs, the other is for recovery.
    static let service = made { try SigningKey(secret(0x33)) }
    static let recovery = made { try SigningKey(secret(0x44)) }
    static let authority = made {
        guard let keys = AuthorityKeys(signing: [service.verifier], recovery: recovery.verifier) else {
            throw MAMError(.internal, "two keys are two")
        }
        return keys
    }
}

/// The header of a reply, as libcurl hands it over. The first byte says whether the fields of a signature that verifies come behind
/// the input's, so that what they are mixed with is all that is wrong.
func fuzzReplyHeader(_ input: [UInt8]) {
    let (url, body) = ("https://mam.example.org/.well-known/mam-authority", Array("{}".utf8))
    let signature = ReplySignature(status: 200, body: body, method: "GET", target: url, request: nil)
    var fields = CurlTransport.fields(Array(input.dropFirst()))
    if input.first.map({ $0 & 1 != 0 }) == true,
        let signed = try? signature.fields(
            keyId: FuzzKeys.service.verifier.kid, now: Instant(milliseconds: 1_795_000_000_000),
            sign: FuzzKeys.service.sign)
    {
        fields += signed
    }
    let judgement = signature.verify(fields, by: [FuzzKeys.service.verifier])
    if case .signed = judgement {
        require(
            ReplySignature.keyId(fields) == FuzzKeys.service.verifier.kid, "a reply is signed by the key that it names")
        for other in [
            ReplySignature(status: 201, body: body, method: "GET", target: url, request: nil),
            ReplySignature(status: 200, body: body + [0x20], method: "GET", target: url, request: nil),
            ReplySignature(status: 200, body: body, method: "GET", target: url + "/", request: nil),
        ] {
            require(other.verify(fields, by: [FuzzKeys.service.verifier]) == .refused, "a signature is for one reply")
        }
        require(signature.verify(fields, by: [FuzzKeys.recovery.verifier]) == .refused, "a recovery key signs no reply")
    }
    let wait = RetryAfter.wait(fields, now: Instant(milliseconds: 1_795_000_000_000))
    require(wait.map { $0 > .seconds(0) && $0 <= .hours(1) } ?? true, "a wait that is not signed ends within an hour")
}

/// The body of a reply of a service, signed for the request: of its document, an enrollment, a check-in or the exchange keys. The first
/// byte says which, the second is the status.
func fuzzServiceReply(_ input: [UInt8]) {
    var input = Input(input)
    let (kind, status) = (input.byte(), input.byte())
    let service = FuzzedService(
        call: Int(kind & 3), isSigned: kind & 4 == 0,
        status: [200, 201, 400, 401, 403, 409, 410, 500, 503][Int(status) % 9], body: Array(input.rest))
    let authority = ServiceAuthority(
        ServiceSettings(url: FuzzedService.url, keys: FuzzKeys.authority), transport: service, store: FuzzedRecord(),
        clock: Clock(now: { Instant(milliseconds: 1_795_000_000_000) }, sinceBoot: { .seconds(1) }),
        libraryVersion: "1.0")
    let app = AppFacts(id: "notes")
    let host = HostFacts(
        deviceTag: "d", platform: "linux", platformVersion: "12", model: nil, libraryVersion: "1.0", stateCounter: 1)
    var marks = WipeMarks()
    marks.add(1, of: nil)
    do throws(AuthorityFailure) {
        let enrollment = try authority.enroll(
            AccountName(upn: "ann@contoso.example"), app: app, host: host, marks: marks, token: nil, cause: .host)
        require(service.isSigned || service.call > 1, "an enrollment is signed")
        _ = try authority.checkIn(
            enrollment.accountId, registration: enrollment.registration, wipeMark: 1, app: app, host: host, token: nil)
        _ = try authority.checkIn(
            enrollment.accountId, registration: enrollment.registration, wipeMark: 1, app: app, host: host, token: nil)
        _ = try authority.exchangeKeys(
            enrollment.accountId, registration: enrollment.registration, wipeMark: 1, from: 1, app: app, host: host)
    } catch {
        require(
            service.isSigned || !error.isRefusal && !error.needsToken && error.wipe == nil && !error.isSigned,
            "what is not signed refuses nobody")
        require(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a message is one line")
    }
}

/// A service whose reply to one call is the input, and whose others are in order.
private final class FuzzedService: Transport {
    static let url = "https://mam.example.org"
    let call: Int
    let isSigned: Bool
    private let status: Int
    private let body: [UInt8]

    init(call: Int, isSigned: Bool, status: Int, body: [UInt8]) {
        (self.call, self.isSigned, self.status, self.body) = (call, isSigned, status, body)
    }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        let calls = ["/.well-known/mam-authority", "/registrations", "/check-in", "/exchange-keys"]
        let isMine = request.url.hasSuffix(calls[call])
        let body = isMine ? body : Array(FuzzedService.usual(request.url).utf8)
        let status = isMine ? status : 200
        guard !isMine || isSigned else { return TransportReply(status: status, fields: [], body: body) }
        let asked =
            request.method == "GET"
            ? nil : RequestSignature(method: request.method, fields: request.fields, target: request.url)
        let signature = ReplySignature(
            status: status, body: body, method: request.method, target: request.url, request: asked)
        let fields = try? signature.fields(
            keyId: FuzzKeys.service.verifier.kid, now: Instant(milliseconds: 1_795_000_000_000),
            sign: FuzzKeys.service.sign)
        return TransportReply(status: status, fields: fields ?? [], body: body)
    }

    private static let checkIn =
        #"{"result":"changed","policies":[],"configurations":[],"apps":[],"policyTag":"a","appsTag":"b","upn":"a@b","isDisabled":false}"#

    private static func usual(_ url: String) -> String {
        if url.hasSuffix("mam-authority") {
            return #"{"protocols":[1],"tenant":"t","api":"\#(self.url)/v1","statements":[]}"#
        }
        if url.hasSuffix("/registrations") {
            return #"{"registration":"r-1","accountId":"a","upn":"a@b","tenantId":"t","wipeMark":1,"exchangeMark":1}"#
        }
        return url.hasSuffix("check-in") ? checkIn : #"{"keys":[],"more":false}"#
    }
}

/// A record that lasts as long as its service.
private final class FuzzedRecord: ServiceRecordStore {
    private let kept = Locked(ServiceRecord())

    func record() -> ServiceRecord { kept.withLock { $0 } }
    func change(_ body: (inout ServiceRecord) -> Void) {
        kept.withLock { record in
            body(&record)
            require(ServiceRecord(json: record.json) == record, "a record is read as it was written")
        }
    }
}

/// A list of statements of new keys. The first byte says which keys sign their payloads, so that those are read.
func fuzzStatements(_ input: [UInt8]) {
    guard let mode = input.first, let json = try? JSON(parsing: Array(input.dropFirst())) else { return }
    let signers = (mode & 1 != 0 ? [FuzzKeys.recovery] : []) + (mode & 2 != 0 ? [FuzzKeys.service] : [])
    let read = (json.array ?? [json]).compactMap(AuthorityStatement.init(json:))
    for statement in read {
        require(AuthorityStatement(json: statement.json) == statement, "what is written reads as what was read")
    }
    let statements = read.map {
        signers.isEmpty ? $0 : (try? AuthorityStatement(payload: $0.payload, signedBy: signers)) ?? $0
    }
    let (keys, number) = FuzzKeys.authority.after(statements, from: 0, tenant: "t")
    require(number <= Int64(statements.count), "numbers rise by one")
    require(!keys.signing.isEmpty, "a key signs")
    guard number > 0 else { return require(keys == FuzzKeys.authority, "without a statement the keys stay") }
    require(statements.prefix { $0.number != 1 }.count < statements.count, "a chain begins at 1")
    if mode & 1 == 0, read.allSatisfy({ $0.signatures.isEmpty }) {
        require(false, "without the recovery key nothing counts")
    }
}
