import MAMProtection
import MAMSupport
import Testing

@testable import MAMMessages

@Suite("vectors/message")
struct MessageVectorTests {
    @Test func allVectorsAreFound() { #expect(MessageCase.all.count == 26) }

    @Test(arguments: MessageCase.all.filter { $0.values["kind"] == "request" })
    func requestIsAcceptedOrRefused(_ c: MessageCase) throws {
        let signature = RequestSignature(
            method: try c.value("method"), fields: c.fields, target: try c.value("target"))
        let key = try c.bytes("key")
        let isAccepted =
            signature.map {
                $0.contentDigest == contentDigest(of: c.body)
                    && RequestKey.verifies($0.bytes, of: $0.base, by: key)
            } ?? false
        #expect(isAccepted == (try c.value("expect") == "ok"))
    }

    @Test(arguments: MessageCase.all.filter { $0.values["kind"] == "reply" })
    func replyIsAcceptedOrRefused(_ c: MessageCase) throws {
        let (method, target) = (try c.value("method"), try c.value("target"))
        // No fields of a request are no signature: discovery.
        let request = RequestSignature(method: method, fields: c.requestFields, target: target)
        #expect((request == nil) == c.requestFields.isEmpty)
        let reply = ReplySignature(
            status: try #require(Int(try c.value("status"))), body: c.body, method: method, target: target,
            request: request)
        let key = try #require(VerifyingKey(checking: try c.bytes("key")))
        let expected: ReplySignature.Verification =
            switch try c.value("expect") {
            case "ok": .signed(created: 1_790_000_001)
            case "unsigned": .unsigned
            default: .refused
            }
        #expect(reply.verify(c.fields, by: [key]) == expected)
        #expect(reply.verify(c.fields, by: []) != .signed(created: 1_790_000_001))
    }
}
