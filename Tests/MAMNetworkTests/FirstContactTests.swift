import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority

/// Settings without keys: the first signed document tells them, once.
@Suite struct FirstContactTests {
    @Test func theFirstDocumentTellsTheKeys() throws {
        let (service, store) = (try LoopbackService(), MemoryStore())
        var app = TestApp(try service.client(store, knows: false))
        try app.enroll(try service.invitation())
        #expect(try app.checkIn().policies.count == 1)
        #expect(store.record().known?.keys == (try service.client().settings.keys))
        var next = TestApp(try service.client(store, knows: false))
        next.authority.expect(app.enrollment?.identity)
        next.enrollment = app.enrollment
        #expect(try next.checkIn().policies.count == 1)
        var knowing = TestApp(try service.client(store))
        knowing.authority.expect(app.enrollment?.identity)
        knowing.enrollment = app.enrollment
        #expect(try knowing.checkIn().policies.count == 1)
    }

    @Test(arguments: HostileTests.attacks) func aChangedDocumentTellsNone(_ attack: HostileTests.Attack) throws {
        guard attack.testDescription != "fewer components" else { return }
        let (service, store) = (try LoopbackService(), MemoryStore())
        var app = TestApp(try service.client(store, knows: false))
        service.tamper = { (_, reply) in attack.change(reply) }
        let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(try service.invitation()) }
        #expect(failure?.code == .locationServiceFailure)
        #expect(service.requests.count == 1)
        #expect(store.record().known == nil)
        service.tamper = nil
        try app.enroll(try service.invitation())
    }

    /// Signed by a key that it does not state, or stating none.
    @Test func aDocumentThatDoesNotProveItsKeysTellsNone() throws {
        let (service, store) = (try LoopbackService(), MemoryStore())
        let stranger = try SigningKey(try SecretBytes.random(count: 32))
        var app = TestApp(try service.client(store, knows: false))
        for (keys, signer) in [
            (nil, nil), (.array([]), nil), (.array([stranger.verifier.jwk(use: "recovery")]), stranger),
            (try service.client().settings.keys?.json, stranger), (.array([stranger.verifier.jwk(use: "sign")]), nil),
        ] as [(JSON?, SigningKey?)] {
            service.answer(discovery: true) { (service, request, reply) in
                let members = (try? JSON(parsing: reply.body, limit: 1 << 20))?.object ?? []
                let document = members.filter { $0.key != "keys" } + (keys.map { [("keys", $0)] } ?? [])
                return service.signed(200, .object(document), to: request, by: signer)
            }
            let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(try service.invitation()) }
            #expect(failure?.code == .locationServiceFailure)
            #expect(store.record().known == nil)
        }
    }

    @Test func anotherAuthorityIsRefusedAfterTheFirst() throws {
        let (service, other, store) = (try LoopbackService(), try LoopbackService(), MemoryStore())
        var app = TestApp(try service.client(store, knows: false))
        // Not enrolled: there was no invitation. The keys stay.
        #expect(throws: AuthorityFailure.self) { try app.enroll(nil) }
        var moved = TestApp(try other.client(store, knows: false))
        let failure = #expect(throws: AuthorityFailure.self) { try moved.enroll(try other.invitation()) }
        #expect(failure?.code == .locationServiceFailure)
        try app.enroll(try service.invitation())
        moved.authority.expect(app.enrollment?.identity)
        #expect(#expect(throws: AuthorityFailure.self) { try moved.enroll(try other.invitation()) } != nil)
        #expect(other.requests.allSatisfy { $0.method == "GET" })
        // It was given up.
        store.change { $0 = ServiceRecord() }
        moved.authority.expect(nil)
        try moved.enroll(try other.invitation())
    }

    @Test func aStateWhoseKeysAreLostTrustsNobodyNew() throws {
        let service = try LoopbackService()
        var app = TestApp(try service.client(knows: false))
        try app.enroll(try service.invitation())
        var next = TestApp(try service.client(MemoryStore(), knows: false))
        next.authority.expect(app.enrollment?.identity)
        next.enrollment = app.enrollment
        let sent = service.requests.count
        #expect(throws: AuthorityFailure.self) { try next.checkIn() }
        #expect(service.requests.count == sent)
    }
}
