import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession
@testable import MAMState

/// Refresh tokens that were given up: they wait in the state until their provider has revoked them.
struct RevocationTests {
    let made: NetworkSession
    var provider: FakeProvider { made.service.provider }

    init() throws {
        made = try NetworkSession(worker: false, signIn: true, provider: RefreshTests.settings)
        made.signsIn = true
        made.service.provider.polls = [FakeProvider.granted(FakeProvider.token, refresh: FakeProvider.refreshToken)]
    }

    /// The tokens that wait, in any session.
    private func waiting(_ made: NetworkSession) throws -> [RefreshToken] {
        try made.session.state.read { (view, _) throws(MAMError) in try view.revocations.all().waiting }
            .compactMap { RefreshToken(stored: $0.token) }
    }

    private func texts(_ made: NetworkSession) throws -> [String] {
        try waiting(made).map { $0.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    private var revoked: [String] {
        provider.forms("/revoke").compactMap { $0.split(separator: "&").first.map { String($0.dropFirst(6)) } }
    }

    private func leave(isWipe: Bool) throws {
        _ = try made.code(try made.session.registrations.deregister(try made.ann, isWipe: isWipe))
    }

    /// The process ends, and the next one sees the provider again.
    @Test(arguments: [false, true]) func theNextProcessRevokesIt(isWipe: Bool) throws {
        try made.enroll()
        provider.failure = TransportFailure(.noAnswer, "the service cannot be reached")
        try leave(isWipe: isWipe)
        #expect(try texts(made) == [FakeProvider.refreshToken])
        try made.session.operations.runDueNow()
        #expect(try texts(made) == [FakeProvider.refreshToken])
        made.end()
        provider.failure = nil
        let next = try NetworkSession(worker: false, beside: made)
        defer { next.end() }
        next.advance(.hours(1))
        try next.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
        #expect(try waiting(next).isEmpty)
        next.advance(.hours(3))
        try next.session.operations.runDueNow()
        #expect(revoked.count == 1, "it is sent once")
    }

    /// A check-in shows that there is a network, so that nothing waits for the time of the next attempt.
    @Test func aCheckInSendsIt() throws {
        defer { made.end() }
        try made.enroll()
        provider.failure = TransportFailure(.noAnswer, "the service cannot be reached")
        let foreign = RefreshToken(
            issuer: FakeProvider.issuer, clientId: "libmam", secret: try SecretBytes(copyingText: "given-up"), key: nil)
        made.session.revokeLater(foreign)
        try made.session.operations.runDueNow()
        provider.failure = nil
        try made.session.operations.runDueNow()
        #expect(revoked.isEmpty, "the next attempt is later")
        made.forgetDelivery()
        _ = try made.checkIn()
        try made.session.operations.runDueNow()
        #expect(revoked == ["given-up"])
    }

    @Test func whatTheProviderSaysEndsIt() throws {
        defer { made.end() }
        try made.enroll()
        for (status, isOver) in [(200, true), (400, true), (401, true), (302, false), (429, false), (503, false)] {
            provider.revocation = status
            let token = RefreshToken(
                issuer: FakeProvider.issuer, clientId: "libmam", secret: try SecretBytes(copyingText: "a"), key: nil)
            made.session.revokeLater(token)
            try made.session.operations.runDueNow()
            #expect(try waiting(made).isEmpty == isOver, "\(status)")
            provider.revocation = 200
            made.advance(.hours(2))
            try made.session.operations.runDueNow()
            #expect(try waiting(made).isEmpty)
        }
    }

    /// A token that whoever reads the state could use is kept for a day; one that its key is missing for, 30 days.
    @Test(arguments: [false, true]) func itIsForgottenInTime(isBound: Bool) throws {
        defer { made.end() }
        provider.isBinding = isBound
        if isBound {
            provider.metadata = .object(
                (provider.metadata.object ?? []) + [("dpop_signing_alg_values_supported", ["ES256"])])
        }
        try made.enroll()
        let row = try #require(try made.session.current().accounts.first).row
        let kept = try made.session.state.read { (view, _) throws(MAMError) in try view.refreshTokens.load(of: row) }
        #expect(kept.flatMap(RefreshToken.init(stored:))?.isBound == isBound)
        provider.failure = TransportFailure(.noAnswer, "the service cannot be reached")
        try leave(isWipe: true)
        #expect(try waiting(made).map(\.isBound) == [false], "its key is gone")
        let day: Int64 = isBound ? 30 : 1
        made.advance(.hours(24 * day - 1))
        try made.session.operations.runDueNow()
        #expect(try waiting(made).count == 1)
        made.advance(.hours(3))
        try made.session.operations.runDueNow()
        #expect(try waiting(made).isEmpty)
        provider.failure = nil
        made.advance(.hours(3))
        try made.session.operations.runDueNow()
        #expect(revoked.isEmpty)
    }

    @Test func theyAreBounded() throws {
        defer { made.end() }
        try made.enroll()
        provider.failure = TransportFailure(.noAnswer, "the service cannot be reached")
        for number in 0..<70 {
            made.session.revokeLater(
                RefreshToken(
                    issuer: FakeProvider.issuer, clientId: "libmam", secret: try SecretBytes(copyingText: "t\(number)"),
                    key: nil))
        }
        #expect(try texts(made) == (6..<70).map { "t\($0)" })
        let before = provider.requests.count
        made.advance(.hours(2))
        try made.session.operations.runDueNow()
        #expect(
            provider.requests.dropFirst(before).filter { $0.url.hasSuffix("/openid-configuration") }.count <= 2,
            "a provider that is not there is not asked for each")
    }

    /// A process was killed with a token in use: the account's next sign-in is the person's, and the token is revoked.
    @Test func aTokenInUseIsNotLost() throws {
        try made.enroll()
        let row = try #require(try made.session.current().accounts.first).row
        #expect(try made.session.useRefreshToken(of: row) != nil)
        made.end()
        let next = try NetworkSession(worker: false, beside: made)
        next.signsIn = true
        defer { next.end() }
        next.advance(.days(8))
        next.forgetDelivery()
        _ = try next.checkIn()
        #expect(next.invited == 1)
        try next.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
        #expect(provider.refreshes == (0, 0), "it is not used again")
    }

    /// A reply that is lost, or that grants nothing, leaves a token that may count.
    @Test func aTokenWhoseReplyWasLostIsRevoked() throws {
        defer { made.end() }
        try made.enroll()
        provider.refreshAnswer = (500, [:])
        made.advance(.days(8))
        made.forgetDelivery()
        _ = try made.checkIn()
        try made.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
    }

    /// The state is the next process's, whatever the closing one had begun.
    @Test func aSessionThatClosesLosesNone() throws {
        try made.enroll()
        try leave(isWipe: false)
        made.end()
        let next = try NetworkSession(worker: false, beside: made)
        defer { next.end() }
        try next.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
    }

    /// Whoever gives the authority up gives the token up.
    @Test func anAuthorityThatIsForgotten() throws {
        defer { made.end() }
        try made.enroll()
        try made.session.registrations.forgetAuthority()
        try made.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
    }

    /// Sessions of two processes send it once.
    @Test func oneSessionSendsIt() throws {
        defer { made.end() }
        try made.enroll()
        let other = try NetworkSession(worker: false, beside: made)
        defer { other.end() }
        try leave(isWipe: false)
        try other.session.operations.runDueNow()
        try made.session.operations.runDueNow()
        #expect(revoked == [FakeProvider.refreshToken])
    }
}
