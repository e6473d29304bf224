import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMSession

/// A proxy that asks who uses it: the host answers once, and the secret stays in this process.
@Suite struct ProxyTests {
    @Test(arguments: [true, false]) func aRequestIsRepeatedWithTheAnswer(_ worker: Bool) throws {
        let host = try NetworkSession(worker: worker)
        defer { host.end() }
        host.transport.wantsCredentials(true)
        try host.enroll()
        #expect(host.proxied == 1, "the answer holds for the requests that follow")
        host.forgetDelivery()
        #expect(try host.checkIn().isSuccess)
        #expect(host.proxied == 1)
    }

    @Test(arguments: [nil, "no colon", ":", "a:\u{7f}"] as [String?], [true, false])
    func withoutCredentialsItIsTheNetwork(_ answer: String?, worker: Bool) throws {
        let host = try NetworkSession(worker: worker)
        defer { host.end() }
        host.proxyAnswer = answer
        host.transport.wantsCredentials(true)
        let operation = try host.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try host.code(operation) == .locationServiceFailure)
        #expect(host.proxied == 1)
        #expect(try #require(try host.session.current().accounts.first).record.lastMessage?.contains("proxy") == true)
    }

    @Test func refusedCredentialsAreForgotten() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        host.proxyAnswer = "ann:wrong"
        host.transport.wantsCredentials(true)
        let operation = try host.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try host.code(operation) == .locationServiceFailure)
        #expect(host.proxied == 1, "asked once for each request")
        host.proxyAnswer = "ann:open sesame"
        try host.enroll()
        #expect(host.proxied == 2)
    }

    @Test func theSecretIsInNoEvent() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        host.transport.wantsCredentials(true)
        try host.enroll()
        let texts = host.events().map(\.text) + [try host.session.diagnostics().text]
        #expect(!texts.contains { $0.contains("sesame") })
    }
}
