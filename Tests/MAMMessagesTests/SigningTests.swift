import MAMProtection
import MAMSupport
import Testing

@testable import MAMMessages

@Suite struct SigningTests {
    private static let target = "https://mam.example.org/mam/v1/registrations"
    private static let body = Array(#"{"sequence":null}"#.utf8)

    private func request(_ key: RequestKey, authorization: String? = nil) throws -> RequestSignature {
        try RequestSignature(
            method: "POST", target: SigningTests.target, body: SigningTests.body,
            authorization: try authorization.map { try SecretBytes(copyingText: $0) }, created: 1_790_000_000,
            nonce: "AAECAw", keyId: "r-1", key: key)
    }

    @Test(arguments: [nil, "MAM-Invite 00ff"]) func aSignedRequestIsRead(_ authorization: String?) throws {
        let key = try RequestKey()
        let made = try request(key, authorization: authorization)
        let fields = made.fields + (authorization.map { [("authorization", $0)] } ?? [])
        let read = try #require(RequestSignature(method: "POST", fields: fields, target: SigningTests.target))
        #expect((read.created, read.nonce, read.keyId) == (1_790_000_000, "AAECAw", "r-1"))
        #expect(read.authorization == authorization)
        #expect(RequestKey.verifies(read.bytes, of: read.base, by: key.publicKey))
        #expect(!RequestKey.verifies(read.bytes, of: read.base, by: try RequestKey().publicKey))
    }

    @Test func aSignedReplyIsAccepted() throws {
        let made = try request(try RequestKey())
        let key = try SigningKey(try SecretBytes.random(count: 32))
        let reply = ReplySignature(
            status: 200, body: SigningTests.body, method: "POST", target: SigningTests.target, request: made)
        let fields = try reply.fields(
            keyId: key.verifier.kid, now: Instant(milliseconds: 1_790_000_000_999), sign: key.sign)
        #expect(reply.verify(fields, by: [key.verifier]) == .signed(created: 1_790_000_000))
        for index in fields.indices {
            #expect(reply.verify(fields + [fields[index]], by: [key.verifier]) == .refused, "a field twice")
            var changed = fields
            changed[index].value = "x" + changed[index].value
            #expect(reply.verify(changed, by: [key.verifier]) == .refused, "another \(fields[index].name)")
            changed[index].value = ""
            #expect(reply.verify(changed, by: [key.verifier]) == .refused, "an empty \(fields[index].name)")
        }
    }

    @Test func aStoredKeySignsTheSame() throws {
        let key = try RequestKey()
        let stored = try #require(RequestKey(stored: key.stored))
        #expect(stored.publicKey == key.publicKey)
        #expect(RequestKey.verifies(try stored.sign([1]), of: [1], by: key.publicKey))
        #expect(RequestKey(stored: Array(key.stored.dropLast())) == nil)
    }
}
