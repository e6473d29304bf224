import MAMMessages
import MAMProtection
import MAMSupport

@testable import MAMAuthority
@testable import MAMService

/// Replies that the service did not make, but could have: its key signs them for the request.
extension LoopbackService {
    /// Answer every call from now on, or every request for the document.
    func answer(
        discovery: Bool = false,
        _ body:
            @escaping @Sendable (LoopbackService, TransportRequest, TransportReply) throws(TransportFailure) ->
            TransportReply
    ) {
        tamper = { [unowned self] (request, reply) throws(TransportFailure) in
            (request.method == "GET") == discovery ? try body(self, request, reply) : reply
        }
    }

    func signed(_ status: Int, _ json: JSON, to request: TransportRequest, by key: SigningKey? = nil) -> TransportReply
    {
        let body = json.utf8
        let asked =
            request.method == "GET"
            ? nil : RequestSignature(method: request.method, fields: request.fields, target: request.url)
        let signature = ReplySignature(
            status: status, body: body, method: request.method, target: request.url, request: asked)
        let key = key ?? service.signing
        let fields = try? signature.fields(keyId: key.verifier.kid, now: serviceTime, sign: key.sign)
        return TransportReply(status: status, fields: fields ?? [], body: body)
    }

    func problem(_ status: Int, _ name: String, _ more: [JSON.Member], to request: TransportRequest) -> TransportReply {
        let type = "https://mam.example.org/contoso/mam/v1/problems/\(name)"
        return signed(
            status, .object([("type", .string(type)), ("status", .integer(Int64(status)))] + more), to: request)
    }
}
