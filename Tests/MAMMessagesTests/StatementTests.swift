import MAMProtection
import MAMSupport
import Testing

@testable import MAMMessages

/// New keys of a service: docs/protocol.md, "New keys".
@Suite struct StatementTests {
    private let (first, second, third, recovery): (SigningKey, SigningKey, SigningKey, SigningKey)
    private let known: AuthorityKeys

    init() throws {
        func key() throws -> SigningKey { try SigningKey(try SecretBytes.random(count: 32)) }
        (first, second, third, recovery) = (try key(), try key(), try key(), try key())
        known = try #require(AuthorityKeys(signing: [first.verifier], recovery: recovery.verifier))
    }

    private func keys(_ signing: SigningKey...) throws -> AuthorityKeys {
        try #require(AuthorityKeys(signing: signing.map(\.verifier), recovery: recovery.verifier))
    }

    private func statement(
        _ keys: AuthorityKeys, _ signers: SigningKey..., number: Int64 = 1, tenant: String = "contoso"
    ) throws -> AuthorityStatement {
        try AuthorityStatement(number: number, tenant: tenant, keys: keys, signedBy: signers)
    }

    private func stated(_ statement: AuthorityStatement) -> AuthorityKeys? {
        statement.keys(number: 1, tenant: "contoso", replacing: known)
    }

    @Test func theKeyInUseAndTheRecoveryKeyAddAKey() throws {
        let both = try keys(second, first)
        #expect(stated(try statement(both, first, recovery)) == both)
        #expect(stated(try statement(both, recovery, first)) == both)
    }

    @Test func theRecoveryKeyAloneEndsTheFormerKeys() throws {
        #expect(stated(try statement(try keys(second), recovery)) == (try keys(second)))
        #expect(stated(try statement(try keys(second, first), recovery)) == (try keys(second)))
        #expect(stated(try statement(try keys(first), recovery)) == nil, "no key is left")
    }

    @Test func nobodyElseStatesKeys() throws {
        let next = try keys(second)
        #expect(stated(try statement(next, first)) == nil, "the key in use alone")
        #expect(stated(try statement(next, second)) == nil, "the new key")
        #expect(stated(try statement(next, second, third)) == nil)
        #expect(stated(try statement(next)) == nil, "nobody")
        #expect(stated(try statement(next, first, recovery, number: 2)) == nil, "another number")
        #expect(stated(try statement(next, first, recovery, tenant: "fabrikam")) == nil, "another tenant")
        let bare = try #require(AuthorityKeys(signing: [first.verifier], recovery: nil))
        let signed = try statement(next, first, recovery)
        #expect(signed.keys(number: 1, tenant: "contoso", replacing: bare) == nil, "without a recovery key")
    }

    @Test func aChangedStatementIsNone() throws {
        let signed = try statement(try keys(second), first, recovery)
        let members = try #require(signed.json.object)
        let payload = signed.payload.replacing("contoso", with: "fabrikam")
        let changed = try #require(
            AuthorityStatement(json: .object([("payload", .string(payload))] + members.filter { $0.key != "payload" })))
        #expect(changed.keys(number: 1, tenant: "fabrikam", replacing: known) == nil)
        // The recovery key's signature under the other key's name, and the other way round.
        let swapped = zip(signed.signatures, signed.signatures.reversed()).map { (name, value) -> JSON in
            ["kid": .string(name.kid), "sig": .string(base64url(value.bytes))]
        }
        let mixed = try #require(
            AuthorityStatement(json: ["payload": .string(signed.payload), "signatures": .array(swapped)]))
        #expect(stated(mixed) == nil)
    }

    @Test func itIsReadAsItWasWritten() throws {
        let signed = try statement(try keys(second), first, recovery)
        #expect(AuthorityStatement(json: signed.json) == signed)
        #expect(AuthorityKeys(json: known.json) == known)
    }

    static let malformed: [JSON] = [
        [:], ["payload": "{}"], ["payload": 1, "signatures": []], ["payload": "{}", "signatures": [["kid": "x"]]],
        ["payload": "{}", "signatures": [["kid": "x", "sig": "+"]]],
        ["payload": .string(String(repeating: " ", count: 8193)), "signatures": []],
        ["payload": "{}", "signatures": .array(Array(repeating: ["kid": "x", "sig": ""], count: 5))],
    ]

    @Test(arguments: malformed) func whatIsMalformedIsNotRead(_ json: JSON) {
        #expect(AuthorityStatement(json: json) == nil)
    }

    @Test func aChainLeadsToTheLatestKeys() throws {
        let chain = [
            try statement(try keys(second, first), first, recovery),
            try statement(try keys(second), second, recovery, number: 2),
            try statement(try keys(third), recovery, number: 3),
        ]
        let ended = known.after(chain, from: 0, tenant: "contoso")
        #expect(ended.keys == (try keys(third)))
        #expect(ended.number == 3)
        #expect(ended.keys.after(chain, from: 3, tenant: "contoso").keys == (try keys(third)), "it is known")
        let cut = known.after(Array(chain.dropFirst()), from: 0, tenant: "contoso")
        #expect(cut.keys == known && cut.number == 0, "a gap")
        let forged = [chain[0], try statement(try keys(third), second, number: 2), chain[2]]
        #expect(known.after(forged, from: 0, tenant: "contoso").number == 1)
    }

    @Test func aListOfKeysIsCheckedWhole() throws {
        let (sign, other) = (first.verifier.jwk(use: "sign"), second.verifier.jwk(use: "recovery"))
        #expect(AuthorityKeys(json: [sign, other, ["use": "later", "kty": "AKP"]])?.signing.count == 1)
        #expect(AuthorityKeys(json: [other]) == nil)
        #expect(AuthorityKeys(json: [sign, other, recovery.verifier.jwk(use: "recovery")]) == nil)
        #expect(AuthorityKeys(json: [sign, first.verifier.jwk(use: "recovery")]) == nil, "one key for both")
        #expect(AuthorityKeys(json: [["use": "sign", "kty": "OKP"]]) == nil)
        #expect(AuthorityKeys(json: nil) == nil)
        #expect(AuthorityKeys(json: .array(Array(repeating: sign, count: 17))) == nil)
    }
}
